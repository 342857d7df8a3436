// SPDX-License-Identifier: MIT
#include "jobs/streams.hpp"
#include "ladder/compute_job.hpp"
#include "ladder/rung.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Syncobj;

void run(RungContext& context, uint32_t x, uint32_t y, std::string_view what) {
  Session session = context.session();
  const panthor::Group group = session.group();
  const GpuBuffer marks = session.buffer(4096);
  const ComputeJob compute(session);
  const Syncobj done(session.device());
  const auto stream = marked(session, marks, [&](CommandStreamBuilder& cs) { compute.dispatch(cs, x, y); });
  context.step("GROUP_SUBMIT of a RUN_COMPUTE");
  session.submit(group, 0, stream, done);
  context.await(done, {.group = &group, .marks = &marks}, what);
}

void one_workgroup(RungContext& context) {
  run(context, 1, 1, "fence of a RUN_COMPUTE of one workgroup");
}

void all_cores(RungContext& context) {
  run(context, 256, 16, "fence of a RUN_COMPUTE of 4096 workgroups");
}

constexpr Rung table[] = {
    {"compute", "RUN_COMPUTE of one workgroup of an empty shader ends", Stage::executing, one_workgroup},
    {"compute-wide", "RUN_COMPUTE over every core ends", Stage::executing, all_cores},
};

}  // namespace

std::span<const Rung> compute_rungs() {
  return table;
}

}  // namespace harness
