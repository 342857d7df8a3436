// SPDX-License-Identifier: MIT
#include "ladder/compute_job.hpp"

#include <bit>

#include "panthor/isa/instructions.hpp"

namespace harness {
namespace {

using panthor::Reg;
using panthor::RegPair;
namespace isa = panthor::isa;

constexpr uint64_t nop_end = 0x7800'c000'0000'0000;  // Valhall NOP.end: the shader of an empty program
constexpr uint64_t program_offset = 0;
constexpr uint64_t storage_offset = 64;  // a Local Storage is aligned to 64 bytes

constexpr uint32_t descriptor_shader = 8;
constexpr uint32_t stage_compute = 1;
constexpr uint32_t registers_32 = 2;             // Shader Register Allocation "32 per thread"
constexpr uint32_t no_workgroup_memory = 31;     // WLS Instances: NO_WORKGROUP_MEM, as a logarithm
constexpr uint64_t least_bytes_per_thread = 16;  // TLS Size 0

// Registers RUN_COMPUTE reads: pairs of SRT, FAU, SPD and TSD, then the dimensions (Mesa: decode_csf.c).
constexpr RegPair resources{0};
constexpr RegPair uniforms{8};
constexpr RegPair program{16};
constexpr RegPair storage{24};
constexpr uint8_t workgroup_size = 33;
constexpr uint8_t first_offset = 34;
constexpr uint8_t first_grid = 37;

constexpr unsigned iterator_entry = 2;
constexpr unsigned other_entry = 0;

uint64_t scratch_bytes(const Session& session) {
  const auto cores = static_cast<uint64_t>(std::bit_width(session.device().gpu_info().shader_present));
  return least_bytes_per_thread * ComputeJob::threads_per_core * cores;
}

}  // namespace

ComputeJob::ComputeJob(Session& session) : ComputeJob(session, 0, least_bytes_per_thread) {
  scratch_.emplace(session.buffer(scratch_bytes(session)));
  descriptors_.write64(storage_offset + 8, scratch_->va());
}

ComputeJob::ComputeJob(Session& session, uint64_t scratch_va, uint64_t bytes_per_thread)
    : code_(session.buffer(4096, panthor::BindFlags::readonly)), descriptors_(session.buffer(4096)) {
  for (uint64_t i = 0; i < 16; ++i) code_.write64(i * 8, nop_end);
  descriptors_.write32(program_offset, descriptor_shader | stage_compute << 4 | registers_32 << 30);
  descriptors_.write64(program_offset + 8, code_.va());
  descriptors_.write32(storage_offset,
                       static_cast<uint32_t>(std::countr_zero(bytes_per_thread / least_bytes_per_thread)));
  descriptors_.write32(storage_offset + 4, no_workgroup_memory);
  descriptors_.write64(storage_offset + 8, scratch_va);
}

void ComputeJob::dispatch(panthor::CommandStreamBuilder& cs, uint32_t x, uint32_t y) const {
  cs.emit(isa::req_resource(isa::resource_compute));
  cs.set_scoreboard_entries(iterator_entry, other_entry);
  cs.move(resources, 0);
  cs.move(uniforms, 0);
  cs.move(program, descriptors_.va() + program_offset);
  cs.move(storage, descriptors_.va() + storage_offset);
  cs.move(Reg{workgroup_size}, 0);  // 1 by 1 by 1, each minus one
  const uint32_t grid[] = {x, y, 1};
  for (uint8_t axis = 0; axis < 3; ++axis) {
    cs.move(Reg{static_cast<uint8_t>(first_offset + axis)}, 0);
    cs.move(Reg{static_cast<uint8_t>(first_grid + axis)}, grid[axis]);
  }
  cs.emit(isa::run_compute(isa::TaskAxis::x, 1));
  cs.wait(1u << iterator_entry);
}

}  // namespace harness
