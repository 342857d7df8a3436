// SPDX-License-Identifier: MIT
#include "shader/job_planner.hpp"

#include <array>

#include "panthor/isa/table.hpp"
#include "shader/render_model.hpp"

namespace vgpu::shader {
namespace {

using ::panthor::isa::Opcode;

struct Row {
  Opcode opcode;
  Plan (*plan)(const cs::IteratorJob&, const Translate&, uint64_t);
};
/// What is not compute.
constexpr std::array<Row, 5> rows{{
    {Opcode::run_tiling, plan_tiling},
    {Opcode::run_idvs, plan_tiling},
    {Opcode::run_fullscreen, plan_tiling},
    {Opcode::run_fragment, plan_fragment},
    {Opcode::finish_tiling, plan_finish_tiling},
}};

}  // namespace

Plan JobPlanner::plan(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task) {
  const uint8_t opcode = ::panthor::isa::opcode_of(job.instruction);
  for (const Row& row : rows)
    if (static_cast<uint8_t>(row.opcode) == opcode) return row.plan(job, translate, first_task);
  return compute_.plan(job, translate, first_task);
}

}  // namespace vgpu::shader
