// SPDX-License-Identifier: MIT
#include <cerrno>
#include <thread>

#include "device_test.hpp"
#include "panthor/foreign_file.hpp"

namespace panthor::test {
namespace {

/// What a job that faults must lead to: its fence signals, the group is dead and says why, the device lives
/// on.
class FaultTest : public DeviceTest {
 protected:
  void expect_fatal(const CommandStream& stream, unsigned queue = 0) {
    const Group group = session().group_of(queue + 1);
    const Syncobj done(device());
    session().submit(group, queue, stream, done);
    ASSERT_TRUE(done.wait(hang_timeout)) << "the fence of a faulting job must signal";
    const GroupState state = state_of_dead(group);
    EXPECT_TRUE(state.fatal_fault);
    EXPECT_NE(state.fatal_queues & (1u << queue), 0u) << "fatal_queues=" << state.fatal_queues;
    EXPECT_FALSE(state.innocent);
    EXPECT_ERRNO(
        EINVAL,
        group.submit({.queue = queue, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {}}))
        << "a dead group takes no job";
    expect_device_works();
  }

 private:
  /// The fence may signal a moment before the scheduler marks the group.
  static GroupState state_of_dead(const Group& group) {
    const auto deadline = std::chrono::steady_clock::now() + 2s;
    GroupState state = group.state();
    while (state.usable() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
      state = group.state();
    }
    return state;
  }
};

TEST_F(FaultTest, StoreToUnmappedMemory_IsFatal) {
  expect_fatal(store(session().address_space(page), 1));
}

TEST_F(FaultTest, StoreOnTheSecondQueue_NamesThatQueue) {
  expect_fatal(store(session().address_space(page), 1), 1);
}

TEST_F(FaultTest, LoadFromUnmappedMemory_IsFatal) {
  const uint64_t va = session().address_space(page);
  expect_fatal(session().stream([&](CommandStreamBuilder& cs) {
    cs.move(streams::address, va);
    cs.load(streams::data, 1, streams::address);
    cs.wait();
  }));
}

TEST_F(FaultTest, StoreAfterUnmap_IsFatal) {
  const GpuBuffer memory = session().buffer(page);
  session().run(session().group(), 0, store(memory.va(), 1), "store while mapped");
  vm().unmap(memory.va(), page);
  expect_fatal(store(memory.va(), 2));
  EXPECT_EQ(memory.read32(0), 1u) << "the store after the unmap reached memory";
}

TEST_F(FaultTest, StoreToReadonlyMemory_IsFatal) {
  const GpuBuffer memory = session().buffer(page, BindFlags::readonly | BindFlags::noexec);
  expect_fatal(store(memory.va(), 2));
  EXPECT_EQ(memory.read32(0), 0u);
}

TEST_F(FaultTest, StreamInUnmappedMemory_IsFatal) {
  expect_fatal({session().address_space(page), 64});
}

TEST_F(FaultTest, InvalidInstruction_IsFatal) {
  expect_fatal(session().stream([](CommandStreamBuilder& cs) {
    cs.nop();
    cs.emit(0xffull << 56);
  }));
}

TEST_F(FaultTest, MisalignedStore_FailsItsJobAndNotItsGroup) {
  // CS_FAULT, not CS_FATAL: the stream goes on, and cs_slot_process_fault_event_locked() puts the error into the
  // fence of the job that is not over yet. The gate keeps it from being over.
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group_of(2);
  const Syncobj done(device());
  const auto faulting = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va() + 66, 1);
    streams::wait_greater(cs, memory.va(), 0);
  });
  const auto open =
      session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, memory.va(), isa::Scope::csg); });
  session().submit(group, 0, faulting, done);
  std::this_thread::sleep_for(100ms);  // by then the event is taken
  session().run(group, 1, open, "release");
  session().finish(done, group, "the job that faulted");
  const auto fences = look_at_sync_file(done.export_sync_file().get());
  ASSERT_EQ(fences.size(), 1u);
  EXPECT_EQ(fences[0].status, -EINVAL);
  EXPECT_TRUE(group.state().usable());
  session().run(group, 0, store(memory.va() + 128, 2), "the next job");
  EXPECT_EQ(memory.read32(128), 2u);
}

TEST_F(FaultTest, NeighbourGroupInAnotherVm_IsUnharmed) {
  Session other(Device::open(device().path()), hang_timeout);
  const GpuBuffer gate = other.buffer(page);
  const Group bystander = other.group_of(2);
  const Syncobj done(other.device());
  const auto blocked = other.stream([&](CommandStreamBuilder& cs) {
    streams::wait_greater(cs, gate.va(), 0);
    streams::store(cs, gate.va() + 64, 0xa11);
    streams::publish(cs);
  });
  const auto open =
      other.stream([&](CommandStreamBuilder& cs) { streams::signal(cs, gate.va(), isa::Scope::csg); });
  other.submit(bystander, 0, blocked, done);
  expect_fatal(store(session().address_space(page), 1));
  other.run(bystander, 1, open, "release");
  other.finish(done, bystander, "bystander");
  EXPECT_EQ(gate.read32(64), 0xa11u);
}

}  // namespace
}  // namespace panthor::test
