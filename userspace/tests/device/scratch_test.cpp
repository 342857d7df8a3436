// SPDX-License-Identifier: MIT
// Buffers that get memory when the GPU touches them (BoFlags::alloc_on_fault).
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heap/fdinfo.hpp"
#include "ladder/compute_job.hpp"
#include "virtual_gpu_test.hpp"

namespace panthor::test {
namespace {

constexpr uint64_t mib = 1ull << 20;
constexpr uint64_t gib = 1ull << 30;
constexpr uint64_t tib = 1ull << 40;
constexpr uint64_t block = 2 * mib;  // what one fault gets when memory is plenty
constexpr BoFlags scratch_flags = BoFlags::no_mmap | BoFlags::alloc_on_fault;

class ScratchTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (!device().has_va_features(VaFeatures::alloc_on_fault))
      GTEST_SKIP() << "kernel without allocation on fault";
    result_.emplace(session().buffer(page));
  }

  [[nodiscard]] BufferObject scratch(uint64_t bytes, BoFlags more = BoFlags::none) {
    return {device(), bytes, scratch_flags | more, &vm()};
  }
  /// A scratch buffer at a free address.
  struct Mapped {
    BufferObject bo;
    uint64_t va;
  };
  [[nodiscard]] Mapped mapped(uint64_t bytes, BoFlags more = BoFlags::none) {
    Mapped result{scratch(bytes, more), session().address_space(bytes, block)};
    vm().map(result.bo, result.va, BindFlags::noexec);
    return result;
  }

  // Each in a group of its own, since a fault ends all groups of a VM that are on the GPU.
  void write(uint64_t va, uint32_t value) { session().run(session().group(), 0, store(va, value), "store"); }
  [[nodiscard]] uint32_t read(uint64_t va) {
    const auto stream = session().stream([&](CommandStreamBuilder& cs) {
      cs.move(streams::address, va);
      cs.load(streams::data, 1, streams::address);
      cs.wait();
      streams::store(cs, result_->va(), streams::data);
      streams::publish(cs);
    });
    result_->write32(0, 0xdead);
    session().run(session().group(), 0, stream, "load");
    return result_->read32(0);
  }

  /// A job that faults for good.
  void expect_fatal(const CommandStream& stream) {
    const Group doomed = session().group();
    const Syncobj done(device());
    session().submit(doomed, 0, stream, done);
    ASSERT_TRUE(done.wait(hang_timeout)) << "the fence of a faulting job must signal";
    const auto deadline = std::chrono::steady_clock::now() + 2s;
    while (doomed.state().usable() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(doomed.state().fatal_fault);
  }

  [[nodiscard]] uint64_t reserved() const {
    return harness::fdinfo_bytes(device(), "panthor-reserved-scratch").value_or(0);
  }
  [[nodiscard]] uint64_t resident() const {
    return harness::fdinfo_bytes(device(), "panthor-resident-scratch").value_or(0);
  }

  /// Runs the shrinker as if the system wanted everything; false when this kernel has no such file.
  static bool discard() {
    for (const auto& entry : std::filesystem::directory_iterator("/sys/kernel/debug/dri")) {
      std::ofstream file(entry.path() / "discard_scratch");
      if (file && file << "1000000" && file.flush()) return true;
    }
    return false;
  }

 private:
  std::optional<GpuBuffer> result_;
};

TEST_F(ScratchTest, StoreReachesMemory) {
  const Mapped stack = mapped(4 * mib);
  write(stack.va + 0x1234, 0x5ca7c4);
  EXPECT_EQ(read(stack.va + 0x1234), 0x5ca7c4u);
}

TEST_F(ScratchTest, FirstLoadReadsZero) {
  const Mapped stack = mapped(4 * mib);
  EXPECT_EQ(read(stack.va), 0u);
  EXPECT_EQ(read(stack.va + 4 * mib - 4), 0u);
}

TEST_F(ScratchTest, OnlyWhatIsTouchedTakesMemory) {
  const Mapped stack = mapped(304 * mib);
  EXPECT_EQ(reserved(), 304 * mib);
  EXPECT_EQ(resident(), 0u);
  write(stack.va + 16 * mib, 1);
  EXPECT_GT(resident(), 0u);
  EXPECT_LE(resident(), block);
  write(stack.va + 16 * mib + page, 2);
  EXPECT_LE(resident(), block) << "the same block";
  write(stack.va + 288 * mib, 3);
  EXPECT_LE(resident(), 2 * block);
}

TEST_F(ScratchTest, ComputeTakesTheSlicesOfItsCoresOnly) {
  constexpr uint64_t bytes_per_thread = 8192;  // what 5328 bytes of spill are rounded up to
  constexpr uint64_t slice = bytes_per_thread * harness::ComputeJob::threads_per_core;
  const uint64_t cores = device().gpu_info().shader_present;
  const Mapped stack = mapped(slice * static_cast<uint64_t>(std::bit_width(cores)));
  const harness::ComputeJob job(session(), stack.va, bytes_per_thread);
  const auto stream = session().stream([&](CommandStreamBuilder& cs) { job.dispatch(cs, 64, 256); });
  session().run(session().group(), 0, stream, "dispatch with scratch memory");
  const auto existing = static_cast<uint64_t>(std::popcount(cores));
  EXPECT_GE(resident(), existing * page);
  EXPECT_LE(resident(), existing * slice);
  RecordProperty("resident_bytes", std::to_string(resident()));
}

TEST_F(ScratchTest, TwelveUntouchedStacksTakeNothing) {
  std::vector<Mapped> stacks;
  for (unsigned i = 0; i < 12; ++i) stacks.push_back(mapped(304 * mib));
  EXPECT_EQ(reserved(), 12 * 304 * mib);
  EXPECT_EQ(resident(), 0u);
}

TEST_F(ScratchTest, ManyPagesInOneJob) {
  constexpr unsigned count = 64;
  const Mapped stack = mapped(count * mib);
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    for (unsigned i = 0; i < count; ++i) streams::store(cs, stack.va + i * mib + i * 4, 100 + i);
    streams::publish(cs);
  });
  session().run(session().group(), 0, stream, "job with many faults");
  for (unsigned i = 0; i < count; i += 7) EXPECT_EQ(read(stack.va + i * mib + i * 4), 100 + i);
}

TEST_F(ScratchTest, UnalignedSizeAndAddress) {
  const BufferObject bo = scratch(3 * mib + 5 * page);
  const uint64_t va = session().address_space(4 * mib, block) + 3 * page;
  vm().map(bo, va, BindFlags::noexec);
  for (const uint64_t offset : {uint64_t{0}, 2 * mib - 4, 2 * mib, 3 * mib + 5 * page - 4}) {
    write(va + offset, static_cast<uint32_t>(offset) + 1);
    EXPECT_EQ(read(va + offset), static_cast<uint32_t>(offset) + 1);
  }
  expect_fatal(store(va - page, 1));
}

TEST_F(ScratchTest, ContentsOutliveTheMapping) {
  const Mapped stack = mapped(8 * mib);
  write(stack.va + 6 * mib, 0xc0);
  vm().unmap(stack.va, 8 * mib);
  const uint64_t other = session().address_space(8 * mib, block);
  vm().map(stack.bo, other, BindFlags::noexec);
  EXPECT_EQ(read(other + 6 * mib), 0xc0u);
}

TEST_F(ScratchTest, TwoMappingsShowTheSame) {
  const Mapped stack = mapped(8 * mib);
  const uint64_t other = session().address_space(8 * mib, block) + page;
  vm().map(stack.bo, other, BindFlags::noexec);
  write(stack.va + 5 * mib, 0x2222);
  EXPECT_EQ(read(other + 5 * mib), 0x2222u);
  write(other + 7 * mib, 0x3333);
  EXPECT_EQ(read(stack.va + 7 * mib), 0x3333u);
}

TEST_F(ScratchTest, HoleFaultsAndTheRestStays) {
  const Mapped stack = mapped(8 * mib);
  for (uint64_t offset = 0; offset < 8 * mib; offset += mib)
    write(stack.va + offset, static_cast<uint32_t>(offset) + 7);
  vm().unmap(stack.va + 3 * mib, page);
  for (uint64_t offset = 0; offset < 8 * mib; offset += mib) {
    if (offset == 3 * mib) continue;
    EXPECT_EQ(read(stack.va + offset), offset + 7) << offset;
  }
  expect_fatal(store(stack.va + 3 * mib, 1));
}

TEST_F(ScratchTest, OtherFaultsStayFatal) {
  const Mapped stack = mapped(4 * mib);
  expect_fatal(store(session().address_space(page), 1));
  const uint64_t readonly = session().address_space(4 * mib, block);
  vm().map(stack.bo, readonly, BindFlags::noexec | BindFlags::readonly);
  EXPECT_EQ(read(readonly), 0u);
  expect_fatal(store(readonly + 8, 1));
  vm().unmap(stack.va, 4 * mib);
  expect_fatal(store(stack.va, 1));
  expect_device_works();
}

TEST_F(ScratchTest, ReplacedByAnOrdinaryBuffer) {
  const Mapped stack = mapped(4 * mib);
  write(stack.va + mib, 1);
  const BufferObject bo(device(), 4 * mib);
  vm().map(bo, stack.va, BindFlags::noexec);
  write(stack.va + mib, 0xb0);
  EXPECT_EQ(bo.map().as<uint32_t>()[mib / 4], 0xb0u);
  vm().map(stack.bo, stack.va, BindFlags::noexec);
  EXPECT_EQ(read(stack.va + mib), 1u);
}

TEST_F(ScratchTest, SeveralGroupsFaultAtOnce) {
  constexpr unsigned count = 6;
  const Mapped stack = mapped(64 * mib);
  std::vector<Group> groups;
  std::vector<Syncobj> fences;
  for (unsigned i = 0; i < count; ++i) {
    groups.push_back(session().group());
    fences.emplace_back(device());
    const auto stream = session().stream([&](CommandStreamBuilder& cs) {
      for (unsigned k = 0; k < 16; ++k) streams::store(cs, stack.va + k * 4 * mib + i * page, i * 100 + k);
      streams::publish(cs);
    });
    session().submit(groups[i], 0, stream, fences[i]);
  }
  for (unsigned i = 0; i < count; ++i) session().finish(fences[i], groups[i], "faulting group");
  for (unsigned i = 0; i < count; ++i) EXPECT_EQ(read(stack.va + 7 * 4 * mib + i * page), i * 100 + 7);
}

TEST_F(ScratchTest, BindsGoOnWhileAJobFaults) {
  const Mapped stack = mapped(64 * mib);
  const Syncobj done(device());
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    for (unsigned k = 0; k < 512; ++k) streams::store(cs, stack.va + (k * 37 % 512) * 32 * page, k);
    streams::publish(cs);
  });
  const Group group = session().group();
  session().submit(group, 0, stream, done);
  const BufferObject bo(device(), 4 * mib);
  const uint64_t va = session().address_space(4 * mib, block);
  unsigned binds = 0;
  do {
    vm().map(bo, va);
    vm().unmap(va + mib, page);
    vm().unmap(va, 4 * mib);
    ++binds;
  } while (!done.wait(0ns) && binds < 10'000);
  session().finish(done, group, "faulting job");
}

TEST_F(ScratchTest, UnmappedWhileItFaults_EndsTheJobOnly) {
  const Mapped stack = mapped(64 * mib);
  const Group doomed = session().group();
  const Syncobj done(device());
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    for (unsigned k = 0; k < 512; ++k) streams::store(cs, stack.va + k * 32 * page, k);
    streams::publish(cs);
  });
  session().submit(doomed, 0, stream, done);
  vm().unmap(stack.va, 64 * mib);
  ASSERT_TRUE(done.wait(hang_timeout));
  expect_device_works();
}

TEST_F(ScratchTest, KilledWhileItFaults) {
  for (unsigned round = 0; round < 8; ++round) {
    const Mapped stack = mapped(64 * mib);
    const Syncobj done(device());
    {
      const Group doomed = session().group();
      const auto stream = session().stream([&](CommandStreamBuilder& cs) {
        for (unsigned k = 0; k < 512; ++k) streams::store(cs, stack.va + k * 32 * page, k);
        streams::publish(cs);
      });
      session().submit(doomed, 0, stream, done);
      std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
    }
    ASSERT_TRUE(done.wait(hang_timeout));
    vm().unmap(stack.va, 64 * mib);
  }
  expect_device_works();
}

TEST_F(ScratchTest, VmDestroyedWhileItFaults) {
  for (unsigned round = 0; round < 4; ++round) {
    Session other(Device::open(device().path()), hang_timeout);
    const BufferObject bo(other.device(), 64 * mib, scratch_flags, &other.vm());
    const uint64_t va = other.address_space(64 * mib, block);
    other.vm().map(bo, va, BindFlags::noexec);
    const Group doomed = other.group();
    const auto stream = other.stream([&](CommandStreamBuilder& cs) {
      for (unsigned k = 0; k < 512; ++k) streams::store(cs, va + k * 32 * page, k);
      streams::publish(cs);
    });
    other.submit(doomed, 0, stream, Syncobj(other.device()));
    std::this_thread::sleep_for(std::chrono::microseconds(round * 100));
  }
  expect_device_works();
}

TEST_F(ScratchTest, ResetWhileItFaults) {
  for (unsigned round = 0; round < 6; ++round) {
    const Mapped stack = mapped(64 * mib);
    const Group doomed = session().group();
    const Syncobj done(device());
    const auto stream = session().stream([&](CommandStreamBuilder& cs) {
      for (unsigned k = 0; k < 512; ++k) streams::store(cs, stack.va + k * 32 * page, k);
      streams::publish(cs);
    });
    // The UNLOCK that lets the access go on, or a command of the scheduler's, never completes: a reset
    // follows.
    arm_fault("as-active-stuck:after=" + std::to_string(3 + round * 5) + ":count=1");
    if (IsSkipped()) return;
    session().submit(doomed, 0, stream, done);
    ASSERT_TRUE(done.wait(hang_timeout)) << "round " << round;
    disarm_fault("as-active-stuck");
    std::this_thread::sleep_for(200ms);
    expect_device_works();
  }
}

TEST_F(ScratchTest, SuspendBetweenFaults) {
  const Mapped stack = mapped(64 * mib);
  for (uint32_t i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(300ms);  // longer than the autosuspend delay
    write(stack.va + i * 8 * mib, 0x5a + i);
  }
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(read(stack.va + i * 8 * mib), 0x5a + i);
}

TEST_F(ScratchTest, OneTebibyte) {
  const BufferObject bo = scratch(tib);
  const uint64_t va = 8 * tib;
  vm().map(bo, va, BindFlags::noexec);
  for (const uint64_t offset : {uint64_t{0}, 512 * gib + 3 * page, tib - page}) {
    write(va + offset, static_cast<uint32_t>(offset >> 12) + 1);
    EXPECT_EQ(read(va + offset), static_cast<uint32_t>(offset >> 12) + 1);
  }
  EXPECT_LE(resident(), 3 * block);
  vm().unmap(va + 256 * gib, 512 * gib);
  EXPECT_EQ(read(va + tib - page), static_cast<uint32_t>((tib - page) >> 12) + 1);
  vm().unmap(va, tib);
}

TEST_F(ScratchTest, BadFlagsAreRefused) {
  const auto create = [&](uint64_t bytes, BoFlags flags, const VirtualMemory* exclusive) {
    const BufferObject bo(device(), bytes, flags, exclusive);
  };
  EXPECT_ERRNO(EINVAL, create(page, BoFlags::alloc_on_fault, &vm()));
  EXPECT_ERRNO(EINVAL, create(page, scratch_flags, nullptr));
  EXPECT_ERRNO(EINVAL, create(page, scratch_flags | BoFlags::wb_mmap, &vm()));
  EXPECT_ERRNO(EINVAL, create(page, BoFlags::no_mmap | BoFlags::discardable, &vm()));
  EXPECT_ERRNO(EINVAL, create(device().va_info()->max_scratch_size + page, scratch_flags, &vm()));
  EXPECT_NO_THROW(create(device().va_info()->max_scratch_size, scratch_flags, &vm()));
}

TEST_F(ScratchTest, IsNotForCpusNorForOthers) {
  const BufferObject bo = scratch(page);
  EXPECT_ERRNO(EPERM, (void)bo.map());
  EXPECT_ERRNO(EINVAL, (void)bo.export_dma_buf());
  EXPECT_EQ(bo.info().create_flags, scratch_flags);
  const VirtualMemory other(device());
  EXPECT_ERRNO(EINVAL, other.map(bo, 4 * gib));
}

TEST_F(ScratchTest, SyncObjectInScratch_DoesNotHurtTheKernel) {
  const Mapped stack = mapped(block);
  const Group waiting = session().group_of(2);
  const Syncobj done(device());
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, stack.va, 0); });
  session().submit(waiting, 0, blocked, done);
  const auto open = session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, stack.va); });
  session().run(waiting, 1, open, "job that opens the gate");
  ASSERT_TRUE(done.wait(hang_timeout));
}

class DiscardTest : public ScratchTest {
 protected:
  /// Discards until at most `bytes` are resident. Reclaim waits for no lock, and work of earlier jobs may
  /// hold one.
  void discard_down_to(uint64_t bytes) {
    for (int i = 0; i < 100 && resident() > bytes; ++i) {
      ASSERT_TRUE(discard());
      if (resident() > bytes) std::this_thread::sleep_for(10ms);
    }
    ASSERT_LE(resident(), bytes);
  }

  void SetUp() override {
    ScratchTest::SetUp();
    if (IsSkipped()) return;
    if (!device().has_va_features(VaFeatures::discardable)) GTEST_SKIP() << "kernel without discarding";
    if (!discard()) GTEST_SKIP() << "debugfs has no discard_scratch";
  }
};

TEST_F(DiscardTest, IdleContentsGoAndComeBackZero) {
  const Mapped stack = mapped(8 * mib, BoFlags::discardable);
  const Mapped kept = mapped(8 * mib);
  write(stack.va + page, 0x90e);
  write(kept.va + page, 0x4e9);
  EXPECT_GT(resident(), block);
  ASSERT_NO_FATAL_FAILURE(discard_down_to(block)) << "only what is not discardable";
  EXPECT_EQ(read(stack.va + page), 0u);
  EXPECT_EQ(read(kept.va + page), 0x4e9u);
  write(stack.va + page, 0x11);
  EXPECT_EQ(read(stack.va + page), 0x11u);
}

TEST_F(DiscardTest, UnfinishedJobKeepsItsStack) {
  const Mapped stack = mapped(8 * mib, BoFlags::discardable);
  const GpuBuffer gate = session().buffer(page);
  const GpuBuffer seen = session().buffer(page);
  const Group worker = session().group_of(2);
  const Syncobj done(device());
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, stack.va, 0x57ac);
    streams::publish(cs);
    streams::wait_greater(cs, gate.va(), 0);
    cs.move(streams::address, stack.va);
    cs.load(streams::data, 1, streams::address);
    cs.wait();
    streams::store(cs, seen.va(), streams::data);
    streams::publish(cs);
  });
  session().submit(worker, 0, stream, done);
  std::this_thread::sleep_for(50ms);
  ASSERT_TRUE(discard());
  EXPECT_GT(resident(), 0u);
  const auto open = session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, gate.va()); });
  session().run(worker, 1, open, "job that opens the gate");
  session().finish(done, worker, "job with a stack");
  EXPECT_EQ(seen.read32(0), 0x57acu);
}

TEST_F(DiscardTest, UnmappedBufferIsDiscardedToo) {
  const Mapped stack = mapped(8 * mib, BoFlags::discardable);
  write(stack.va, 1);
  vm().unmap(stack.va, 8 * mib);
  ASSERT_NO_FATAL_FAILURE(discard_down_to(0));
}

/// RAM of this machine, bytes; 0 when it is not known.
uint64_t total_memory() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : 0;
}

// Takes all memory there is, so it runs where that is little and lost on nobody: a guest of its own.
TEST_F(ScratchTest, WhenMemoryRunsOut_TheGroupFaultsAndTheRestLives) {
  const uint64_t memory = total_memory();
  if (memory == 0 || memory > 300 * mib) GTEST_SKIP() << "for a guest with less than 300 MiB";
  // Nothing of this process may have to be read back when there is no memory for it.
  ASSERT_EQ(mlockall(MCL_CURRENT | MCL_FUTURE), 0);
  constexpr uint64_t group_bytes = 64 << 10;  // what one fault gets when memory is scarce
  const uint64_t bytes = (memory / block + 8) * block;
  {
    const Mapped stack = mapped(bytes);
    expect_fatal(session().stream([&](CommandStreamBuilder& cs) {
      for (uint64_t at = 0; at < bytes; at += group_bytes) streams::store(cs, stack.va + at, 1);
      streams::publish(cs);
    }));
    EXPECT_GT(resident(), memory / 4);
    vm().unmap(stack.va, bytes);
  }
  expect_device_works();
}

TEST_F(DiscardTest, MemoryPressureDiscards) {
  const uint64_t memory = total_memory();
  if (memory == 0 || memory > 300 * mib) GTEST_SKIP() << "for a guest with less than 300 MiB";
  const Mapped stack = mapped(memory / 4, BoFlags::discardable);
  for (uint64_t at = 0; at < memory / 4; at += block) write(stack.va + at, 1);
  const uint64_t before = resident();
  EXPECT_GE(before, memory / 4 - block);
  // Ordinary buffers, populated when they are mapped. Not in this VM: its reservation is locked meanwhile.
  const VirtualMemory other(device());
  std::vector<BufferObject> hogs;
  for (uint64_t taken = 0; taken < memory && resident() == before; taken += 4 * mib) {
    try {
      hogs.emplace_back(device(), 4 * mib, BoFlags::no_mmap);
      other.map(hogs.back(), gib + taken, BindFlags::noexec);
    } catch (const std::system_error&) {
      break;
    }
  }
  EXPECT_LT(resident(), before);
}

TEST_F(ScratchTest, SparseTebibyteBinds) {
  if (device().version() < has_sparse) GTEST_SKIP() << "driver older than 1.8";
  const uint64_t va = 16 * tib;
  vm().bind(BindOp::sparse(va, tib));
  write(va + 777 * gib + page, 1);
  vm().unmap(va + gib, page);
  write(va + gib + page, 1);
  expect_fatal(store(va + gib, 1));
  vm().unmap(va, tib);
}

TEST_F(ScratchTest, ThousandStacksArePlaced) {
  if (!device().has_va_features(VaFeatures::heap)) GTEST_SKIP() << "kernel without VA heaps";
  const VirtualMemory with_heap(device(), 0, VaHeap{});
  std::vector<BufferObject> stacks;
  for (unsigned i = 0; i < 1000; ++i) {
    stacks.emplace_back(device(), 304 * mib, scratch_flags, &with_heap);
    ASSERT_NE(with_heap.place(stacks.back(), {}, BindFlags::noexec), 0u);
  }
}

}  // namespace
}  // namespace panthor::test
