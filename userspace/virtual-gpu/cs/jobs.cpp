// SPDX-License-Identifier: MIT
#include <array>

#include "cs/handlers.hpp"

namespace vgpu::cs::handlers {
namespace {

using isa::Opcode;

/// What runs where, and which bit makes the job's end a progress increment.
struct JobKind {
  Opcode opcode;
  Endpoint endpoint;
  isa::Field progress;
};
constexpr std::array<JobKind, 7> job_kinds{{
    {Opcode::run_compute, Endpoint::compute, isa::field(Opcode::run_compute, "progress_increment")},
    {Opcode::run_compute_indirect, Endpoint::compute,
     isa::field(Opcode::run_compute_indirect, "progress_increment")},
    {Opcode::run_tiling, Endpoint::tiler, isa::field(Opcode::run_tiling, "progress_increment")},
    {Opcode::run_idvs, Endpoint::tiler, isa::field(Opcode::run_idvs, "progress_increment")},
    {Opcode::run_fullscreen, Endpoint::tiler, isa::field(Opcode::run_fullscreen, "progress_increment")},
    {Opcode::finish_tiling, Endpoint::tiler, isa::field(Opcode::finish_tiling, "progress_increment")},
    {Opcode::run_fragment, Endpoint::fragment, isa::field(Opcode::run_fragment, "progress_increment")},
}};

constexpr const JobKind& kind_of(uint64_t word) {
  for (const JobKind& kind : job_kinds)
    if (static_cast<uint8_t>(kind.opcode) == isa::opcode_of(word)) return kind;
  return job_kinds.front();  // not reached: the dispatch table binds only these opcodes
}

constexpr isa::Field heap_address = isa::field(Opcode::heap_set, "address");
constexpr isa::Field region_size = isa::field(Opcode::prot_region, "instructions");
constexpr uint32_t resource_bits = 0xf;  // REQ_RESOURCE: every field is one of these bits
static_assert((isa::instruction(Opcode::req_resource).must_be_zero() & 0xffffffff) == ~resource_bits);

}  // namespace

/// RUN_* and FINISH_TILING: the endpoint scoreboard entry counts the job until Interpreter::job_done(). With
/// an error pending the job is skipped (assumed: "iterators refuse work until ERROR_BARRIER").
Step run_job(Core& core, Context& context, uint64_t word) {
  if (context.error_status) return Step::next;
  const JobKind& kind = kind_of(word);
  const unsigned entry = context.endpoint_entry;
  const bool counts_progress = kind.progress.raw(word) != 0;
  // Counted first: a machine that ends the job at once calls job_done() from inside start().
  ++context.scoreboard[entry];
  context.progress_due[entry] += counts_progress;
  core.called_out();
  if (core.environment.start(
          {.endpoint = kind.endpoint, .instruction = word, .registers = context.reg, .scoreboard = entry}))
    return Step::next;
  --context.scoreboard[entry];
  context.progress_due[entry] -= counts_progress;
  return Core::block(context, Blocked::resource);
}

Step req_resource(Core& core, Context& context, uint64_t word) {
  const auto wanted = static_cast<uint32_t>(word) & resource_bits;
  core.called_out();
  if (!core.environment.request_resources(wanted)) return Core::block(context, Blocked::resource);
  context.granted_resources = wanted;
  return Step::next;
}

Step prot_region(Core& core, Context& context, uint64_t word) {
  core.called_out();
  const bool granted = core.environment.protected_mode(static_cast<uint32_t>(region_size.raw(word)));
  context.wait_protected = !granted;
  return granted ? Step::next : Core::block(context, Blocked::resource);
}

Step heap_set(Core& core, Context& context, uint64_t word) {
  context.heap_va = reg64(context, static_cast<unsigned>(heap_address.raw(word)));
  core.called_out();
  core.environment.heap_set(context.heap_va);
  return Step::next;
}

Step error_barrier(Core&, Context& context, uint64_t) {
  context.error_status = 0;
  return Step::next;
}

}  // namespace vgpu::cs::handlers
