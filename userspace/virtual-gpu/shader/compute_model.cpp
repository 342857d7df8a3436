// SPDX-License-Identifier: MIT
#include "shader/compute_model.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "panthor/isa/table.hpp"
#include "shader/guest_reader.hpp"
#include "shader/scratch.hpp"

namespace vgpu::shader {
namespace {

namespace isa = ::panthor::isa;
using cs::ExceptionCode;
using isa::Opcode;

constexpr isa::Field srt_select = isa::field(Opcode::run_compute, "srt");
constexpr isa::Field spd_select = isa::field(Opcode::run_compute, "spd");
constexpr isa::Field tsd_select = isa::field(Opcode::run_compute, "tsd");
constexpr isa::Field fau_select = isa::field(Opcode::run_compute, "fau");
constexpr isa::Field axis_field = isa::field(Opcode::run_compute, "axis");
constexpr isa::Field increment_field = isa::field(Opcode::run_compute, "task_increment");
constexpr isa::Field per_task_field = isa::field(Opcode::run_compute_indirect, "workgroups_per_task");

constexpr unsigned srt_bank = 0, fau_bank = 8, spd_bank = 16, tsd_bank = 24;
constexpr unsigned workgroup_register = 33, offset_register = 34, grid_register = 37;
constexpr unsigned registers_read = 40;

constexpr uint64_t resource_bytes = 16;  // genxml "Resource"
constexpr uint64_t resource_count_mask = 0x3f;
constexpr uint8_t stage_compute = 1;
constexpr uint64_t instruction_alignment = 8;  // a Valhall instruction

uint64_t pointer(const cs::IteratorJob& job, unsigned bank, const isa::Field& select) {
  const size_t index = bank + 2 * select.raw(job.instruction);
  return job.registers[index] | static_cast<uint64_t>(job.registers[index + 1]) << 32;
}

uint64_t saturated_product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
uint64_t round_up_divide(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

/// Fills in workgroups_per_task and tasks. False: the instruction asks for tasks of no workgroups.
bool split(const cs::IteratorJob& job, Dispatch& dispatch) {
  const auto& grid = dispatch.grid;
  if (isa::opcode_of(job.instruction) == static_cast<uint8_t>(Opcode::run_compute_indirect)) {
    dispatch.workgroups_per_task = per_task_field.raw(job.instruction);
    if (!dispatch.workgroups_per_task) return false;
    const uint64_t all = saturated_product(saturated_product(grid[0], grid[1]), grid[2]);
    dispatch.tasks = round_up_divide(all, dispatch.workgroups_per_task);
    return true;
  }
  const uint64_t increment = increment_field.raw(job.instruction);
  const auto axis = static_cast<unsigned>(axis_field.raw(job.instruction));
  if (!increment || axis > 2) return false;
  dispatch.workgroups_per_task = std::min<uint64_t>(increment, std::max<uint32_t>(grid[axis], 1));
  dispatch.tasks = round_up_divide(grid[axis], increment);
  for (unsigned below = 0; below < axis; ++below)
    dispatch.workgroups_per_task = saturated_product(dispatch.workgroups_per_task, grid[below]);
  for (unsigned above = axis + 1; above < 3; ++above)
    dispatch.tasks = saturated_product(dispatch.tasks, grid[above]);
  if (!grid[0] || !grid[1] || !grid[2]) dispatch.tasks = 0;
  return true;
}

/// What one core holds when the remaining tasks are dealt out evenly, the lowest core ids first.
Residency residency(const Dispatch& dispatch, uint64_t tasks_on_core) {
  const uint64_t warps = round_up_divide(dispatch.workgroup.threads(), warp_threads);
  const uint64_t threads_per_group = warps * warp_threads;
  const uint64_t limit = std::max(dispatch.program.threads_per_core / threads_per_group, uint64_t{1});
  const uint64_t groups = std::min(limit, saturated_product(tasks_on_core, dispatch.workgroups_per_task));
  return {.threads = groups * threads_per_group,
          .workgroups = std::min(groups, dispatch.storage.wls_instances)};
}

}  // namespace

Plan ComputeModel::plan(const cs::IteratorJob& job, const Translate& translate, uint64_t first_task) {
  if (job.registers.size() < registers_read) return Plan::failed(ExceptionCode::cs_endpoint_fault, 0);
  GuestReader reader(translate);

  // Descriptors, in the order the front end fetches them (assumed).
  const uint64_t program_va = pointer(job, spd_bank, spd_select);
  std::array<uint32_t, ShaderProgram::words> program_words{};
  if (const AccessResult result = reader.read(program_va, program_words); result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);
  const std::optional<ShaderProgram> program = ShaderProgram::parse(program_words);
  if (!program || program->stage != stage_compute)
    return Plan::failed(ExceptionCode::data_invalid_fault, program_va);

  const uint64_t storage_va = pointer(job, tsd_bank, tsd_select);
  std::array<uint32_t, LocalStorage::words> storage_words{};
  if (const AccessResult result = reader.read(storage_va, storage_words); result != AccessResult::ok)
    return Plan::failed_access(result, reader.failed_va);

  Dispatch dispatch{.program = *program,
                    .program_va = program_va,
                    .storage = LocalStorage::parse(storage_words),
                    .resources = pointer(job, srt_bank, srt_select),
                    .uniforms = pointer(job, fau_bank, fau_select),
                    .workgroup = WorkgroupSize(job.registers[workgroup_register]),
                    .offset = {},
                    .grid = {},
                    .workgroups_per_task = 1,
                    .tasks = 0};
  for (unsigned i = 0; i < 3; ++i) {
    dispatch.offset[i] = job.registers[offset_register + i];
    dispatch.grid[i] = job.registers[grid_register + i];
  }
  if (!split(job, dispatch)) return Plan::failed(ExceptionCode::data_invalid_fault, program_va);
  if (dispatch.workgroup.threads() > max_workgroup_threads)
    return Plan::failed(ExceptionCode::data_invalid_fault, program_va);
  if (dispatch.tasks <= first_task) return {.tasks = dispatch.tasks, .ns_per_task = 0};

  const uint64_t srt_bytes = (dispatch.resources & resource_count_mask) * resource_bytes;
  const uint64_t fau_bytes = (dispatch.uniforms >> 56) * 8;
  const uint64_t fau_va = dispatch.uniforms & ((uint64_t{1} << 48) - 1);
  if (program->binary == 0 || program->binary % instruction_alignment)
    return Plan::failed(ExceptionCode::instr_invalid_pc, program->binary);
  for (const auto& [va, bytes, access] :
       {std::tuple{dispatch.resources & ~resource_count_mask, srt_bytes, Access::read},
        std::tuple{fau_va, fau_bytes, Access::read},
        std::tuple{program->binary, instruction_alignment, Access::execute}})
    if (const AccessResult result = reader.probe(va, bytes, access); result != AccessResult::ok)
      return Plan::failed_access(result, reader.failed_va);

  // Scratch memory of the cores that get tasks.
  const auto cores = static_cast<uint64_t>(std::popcount(job.core_mask));
  if (!cores) return Plan::failed(ExceptionCode::cs_endpoint_fault, program_va);
  const uint64_t tasks = dispatch.tasks - first_task;
  ScratchToucher scratch(translate, dispatch.storage);
  uint64_t dealt = 0;
  for (unsigned core = 0; core < 64; ++core) {
    if (!(job.core_mask >> core & 1)) continue;
    const uint64_t share = tasks / cores + (dealt++ < tasks % cores);
    if (!share) break;
    if (const AccessResult result = scratch.touch(core, residency(dispatch, share));
        result != AccessResult::ok)
      return Plan::failed_access(result, scratch.failed_va);
  }

  const Execution execution = executor_.run(dispatch, first_task, translate);
  return {.result = execution.result,
          .tasks = dispatch.tasks,
          .ns_per_task = execution.ns_per_task,
          .touched_pages = scratch.pages,
          .fault = execution.fault};
}

}  // namespace vgpu::shader
