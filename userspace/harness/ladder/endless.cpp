// SPDX-License-Identifier: MIT
#include "ladder/endless.hpp"

#include "jobs/streams.hpp"

namespace harness {
namespace {

constexpr uint64_t gate_offset = 0x800;
constexpr uint32_t workgroups = 1u << 16;  // in each of two directions

}  // namespace

EndlessJob::EndlessJob(Session& session, const panthor::Group& group, Kind kind, unsigned queue)
    : marks_(session.buffer(4096)), done_(session.device()) {
  if (kind == Kind::computing) compute_.emplace(session);
  const auto stream = session.stream([&](panthor::CommandStreamBuilder& cs) {
    streams::store(cs, marks_.va(), 1);
    streams::publish(cs);
    switch (kind) {
      case Kind::blocked:
        streams::wait_greater(cs, marks_.va() + gate_offset, 0);
        break;
      case Kind::looping:
        cs.branch(cs.here());
        break;
      case Kind::computing:
        compute_->dispatch(cs, workgroups, workgroups);
        break;
    }
  });
  session.submit(group, queue, stream, done_);
}

}  // namespace harness
