// SPDX-License-Identifier: MIT
#pragma once

#include "cs/dispatch.hpp"

/// One function an opcode (or a family of opcodes that differ in a table row), grouped by the file that has
/// them.
namespace vgpu::cs::handlers {

// arithmetic.cpp
Step nop(Core&, Context&, uint64_t);
Step move48(Core&, Context&, uint64_t);
Step move32(Core&, Context&, uint64_t);
Step add_imm32(Core&, Context&, uint64_t);
Step add_imm64(Core&, Context&, uint64_t);
Step umin32(Core&, Context&, uint64_t);

// memory.cpp
Step load_multiple(Core&, Context&, uint64_t);
Step store_multiple(Core&, Context&, uint64_t);

// flow.cpp
Step branch(Core&, Context&, uint64_t);
Step call(Core&, Context&, uint64_t);
Step jump(Core&, Context&, uint64_t);
Step set_exception_handler(Core&, Context&, uint64_t);

// wait.cpp
Step wait(Core&, Context&, uint64_t);
Step set_sb_entry(Core&, Context&, uint64_t);
Step sync_wait32(Core&, Context&, uint64_t);
Step sync_wait64(Core&, Context&, uint64_t);
Step progress_wait(Core&, Context&, uint64_t);
Step progress_store(Core&, Context&, uint64_t);
Step progress_load(Core&, Context&, uint64_t);

// jobs.cpp
Step run_job(Core&, Context&, uint64_t);
Step req_resource(Core&, Context&, uint64_t);
Step prot_region(Core&, Context&, uint64_t);
Step heap_set(Core&, Context&, uint64_t);
Step error_barrier(Core&, Context&, uint64_t);

// deferrable.cpp: SYNC_ADD*, SYNC_SET*, STORE_STATE, FLUSH_CACHE2, HEAP_OPERATION, FINISH_FRAGMENT,
// TRACE_POINT
Step deferrable(Core&, Context&, uint64_t);

}  // namespace vgpu::cs::handlers
