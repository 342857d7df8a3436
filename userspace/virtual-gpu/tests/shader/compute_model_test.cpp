// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "shader/scratch.hpp"
#include "tests/shader/fake_memory.hpp"

namespace vgpu::shader::test {
namespace {

constexpr uint64_t program_va = 0x10'0000, storage_va = 0x11'0000, binary_va = 0x12'0000, srt_va = 0x13'0000,
                   fau_va = 0x14'0000, tls_va = 0x1000'0000, wls_va = 0x8000'0000;
constexpr uint32_t workgroup(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
  return (x - 1) | (y - 1) << 10 | (z - 1) << 20;
}

struct ComputeModelTest : testing::Test, FakeMemory, FakeJob {
  ComputeModelTest() {
    pair(0, srt_va | 2);
    pair(8, fau_va | uint64_t{4} << 56);
    pair(16, program_va);
    pair(24, storage_va);
    registers[33] = workgroup(64);
    grid(16, 1, 1);
    program();
    storage(0, 0);
  }
  void grid(uint32_t x, uint32_t y, uint32_t z) {
    registers[37] = x;
    registers[38] = y;
    registers[39] = z;
  }
  void program(uint32_t stage = 1, uint32_t register_allocation = 2, uint64_t binary = binary_va) {
    put(program_va,
        std::array<uint32_t, 8>{8 | stage << 4 | register_allocation << 30, 0, static_cast<uint32_t>(binary),
                                static_cast<uint32_t>(binary >> 32)});
  }
  /// As Mesa packs it: packed TLS of `tls_bytes` a thread, and `wls_bytes` times `instances` a core; 0 for
  /// none.
  void storage(uint64_t tls_bytes, uint64_t wls_bytes, uint32_t instances_log2 = 0) {
    std::array<uint32_t, 8> words{};
    if (tls_bytes) {
      words[0] = static_cast<uint32_t>(std::countr_zero(tls_bytes / 16));
      words[2] = static_cast<uint32_t>(tls_va >> 8);
      words[3] = 1u << 28 | static_cast<uint32_t>(tls_va >> 40);
    }
    words[1] = wls_bytes ? instances_log2 | static_cast<uint32_t>(std::countr_zero(wls_bytes) + 1) << 8 : 31;
    words[4] = static_cast<uint32_t>(wls_va);
    words[5] = static_cast<uint32_t>(wls_va >> 32);
    put(storage_va, words);
  }
  Plan plan(uint64_t instruction, uint64_t first_task = 0) {
    return planner.plan(job(instruction), translate, first_task);
  }
  JobPlanner planner;
};

TEST_F(ComputeModelTest, TimeGrowsWithWork) {
  const Plan small = plan(isa::run_compute(isa::TaskAxis::x, 1));
  registers[33] = workgroup(512);
  const Plan large = plan(isa::run_compute(isa::TaskAxis::x, 1));
  EXPECT_EQ(small.result, AccessResult::ok);
  EXPECT_FALSE(small.fault);
  EXPECT_EQ(small.tasks, 16u);
  EXPECT_GT(large.ns_per_task, small.ns_per_task);
}

TEST_F(ComputeModelTest, TasksFollowAxisAndIncrement) {
  grid(10, 6, 3);
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 4)).tasks, 3u * 6 * 3);
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::y, 4)).tasks, 2u * 3);
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::z, 1)).tasks, 3u);
  EXPECT_EQ(plan(isa::run_compute_indirect(7)).tasks, 26u);
}

TEST_F(ComputeModelTest, AnEmptyGridHasNoTasksAndTouchesNothing) {
  storage(64, 0);
  grid(4, 0, 1);
  const Plan empty = plan(isa::run_compute(isa::TaskAxis::x, 1));
  EXPECT_EQ(empty.tasks, 0u);
  EXPECT_TRUE(written.empty());
}

TEST_F(ComputeModelTest, ScratchIsTouchedForResidentThreadsOfUsedCoresOnly) {
  storage(64, 0);
  grid(1000, 1, 1);
  const Plan full = plan(isa::run_compute(isa::TaskAxis::x, 1));
  constexpr uint64_t slice = 64 * 2048;
  EXPECT_EQ(full.touched_pages, 4 * slice / page_size);
  for (const unsigned core : {0, 2, 16, 18})
    EXPECT_EQ(written_in(tls_va + core * slice, slice), slice / page_size);
  for (const unsigned core : {1, 3, 15, 17}) EXPECT_EQ(written_in(tls_va + core * slice, slice), 0u);
  EXPECT_EQ(get(tls_va + 2 * slice), ScratchToucher::mark);
}

TEST_F(ComputeModelTest, FewTasksTouchLittle) {
  storage(4096, 0);
  grid(1, 1, 1);
  const Plan one = plan(isa::run_compute(isa::TaskAxis::x, 1));
  EXPECT_EQ(one.touched_pages, 64u) << "64 threads of a page each on the first core";
  EXPECT_EQ(*written.begin(), tls_va);
}

TEST_F(ComputeModelTest, SixtyFourRegistersHalveTheResidentThreads) {
  storage(64, 0);
  grid(1000, 1, 1);
  const uint64_t narrow = plan(isa::run_compute(isa::TaskAxis::x, 1)).touched_pages;
  program(1, 0);
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 1)).touched_pages * 2, narrow);
}

TEST_F(ComputeModelTest, WorkgroupMemoryIsTouchedPerInstance) {
  storage(0, 8192, 2);
  grid(1000, 1, 1);
  core_mask = 0b100;
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 1)).touched_pages, 4u * 2);
  EXPECT_EQ(*written.begin(), wls_va + 2 * 4 * 8192);
}

TEST_F(ComputeModelTest, AStalledScratchPageIsRetried) {
  storage(64, 0);
  grid(1000, 1, 1);
  stalled = {tls_va + 5 * page_size};
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 1)).result, AccessResult::stalled);
  stalled.clear();
  const Plan again = plan(isa::run_compute(isa::TaskAxis::x, 1));
  EXPECT_EQ(again.result, AccessResult::ok);
  EXPECT_TRUE(written.contains(tls_va + 5 * page_size));
}

TEST_F(ComputeModelTest, EveryPointerIsReadThroughTheMmu) {
  for (const uint64_t va : {program_va, storage_va, binary_va, srt_va, fau_va}) {
    stalled = {va};
    EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 1)).result, AccessResult::stalled) << std::hex << va;
    stalled.clear();
    aborted = {va};
    const Plan failed = plan(isa::run_compute(isa::TaskAxis::x, 1));
    ASSERT_TRUE(failed.fault);
    EXPECT_EQ(failed.fault->code, cs::ExceptionCode::cs_bus_fault);
    EXPECT_EQ(failed.fault->info, va);
    aborted.clear();
  }
}

TEST_F(ComputeModelTest, SelectsChooseThePair) {
  pair(22, program_va);
  pair(16, 0xbad000);
  aborted = {0xbad000};
  EXPECT_TRUE(plan(isa::run_compute(isa::TaskAxis::x, 1)).fault);
  EXPECT_FALSE(plan(isa::run_compute(isa::TaskAxis::x, 1, {.spd = 3})).fault);
}

TEST_F(ComputeModelTest, BadDescriptorsAreFaults) {
  const auto code = [&] {
    const Plan result = plan(isa::run_compute(isa::TaskAxis::x, 1));
    return result.fault ? result.fault->code : cs::ExceptionCode{};
  };
  program(2);
  EXPECT_EQ(code(), cs::ExceptionCode::data_invalid_fault) << "a fragment shader";
  put(program_va, std::array<uint32_t, 1>{0});
  EXPECT_EQ(code(), cs::ExceptionCode::data_invalid_fault) << "no shader descriptor";
  program(1, 2, 0);
  EXPECT_EQ(code(), cs::ExceptionCode::instr_invalid_pc);
  program();
  registers[33] = workgroup(1024, 2);
  EXPECT_EQ(code(), cs::ExceptionCode::data_invalid_fault) << "too many threads a workgroup";
  registers[33] = workgroup(64);
  core_mask = 0;
  EXPECT_EQ(code(), cs::ExceptionCode::cs_endpoint_fault);
}

TEST_F(ComputeModelTest, AnIncrementOfZeroIsAFault) {
  EXPECT_TRUE(plan(isa::run_compute(isa::TaskAxis::x, 0)).fault);
  EXPECT_TRUE(plan(isa::run_compute_indirect(0)).fault);
}

TEST_F(ComputeModelTest, HugeGridsDoNotOverflow) {
  grid(~0u, ~0u, ~0u);
  EXPECT_EQ(plan(isa::run_compute(isa::TaskAxis::x, 1)).tasks, UINT64_MAX);
  EXPECT_EQ(plan(isa::run_compute_indirect(1)).tasks, UINT64_MAX);
}

/// Fails a chosen task: what a real executor may do.
class FaultyExecutor final : public ShaderExecutor {
 public:
  Execution run(const Dispatch& dispatch, uint64_t, const Translate&) override {
    seen = dispatch.workgroups_per_task;
    return {.ns_per_task = 7, .fault = Fault{cs::ExceptionCode::addr_range_fault, 42}};
  }
  uint64_t seen = 0;
};

TEST_F(ComputeModelTest, TheExecutorDecidesTimeAndFaults) {
  auto executor = std::make_unique<FaultyExecutor>();
  const FaultyExecutor& faulty = *executor;
  JobPlanner custom(std::move(executor));
  const Plan result = custom.plan(job(isa::run_compute(isa::TaskAxis::x, 4)), translate);
  EXPECT_EQ(result.ns_per_task, 7u);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->info, 42u);
  EXPECT_EQ(faulty.seen, 4u);
}

}  // namespace
}  // namespace vgpu::shader::test
