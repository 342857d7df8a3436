// SPDX-License-Identifier: MIT
#include "device_test.hpp"

namespace panthor::test {
namespace {

/// Groups that lose their slot to others while they are blocked, and get it back.
class EvictionTest : public DeviceTest {
 protected:
  static constexpr unsigned kept_registers = 64;

  [[nodiscard]] static uint32_t kept_value(unsigned reg) { return 0x5eed0000 + reg * 0x101; }

  /// Fills r0 to r63.
  static void load_registers(CommandStreamBuilder& cs) {
    for (unsigned i = 0; i < kept_registers; ++i) cs.move(Reg{static_cast<uint8_t>(i)}, kept_value(i));
  }

  /// Stores r0 to r63 at `va`. Uses only registers above them.
  static void store_registers(CommandStreamBuilder& cs, uint64_t va) {
    cs.move(streams::address, va);
    for (unsigned i = 0; i < kept_registers; i += 16)
      cs.store(Reg{static_cast<uint8_t>(i)}, 16, streams::address, static_cast<int16_t>(i * 4));
    streams::publish(cs);
  }

  /// Runs more blocked groups than there are slots, and one that ends, so that every slot changes hands. The
  /// groups are kept until the test ends.
  void take_every_slot() {
    const unsigned count = session().csif().csg_slot_count + 2;
    for (unsigned i = 0; i < count; ++i) {
      others_.push_back(session().group());
      const auto blocked = session().stream(
          [&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate().va() + 128, 0); });
      session().submit(others_.back(), 0, blocked, Syncobj(device()));
    }
    const GpuBuffer memory = session().buffer(page);
    for (unsigned i = 0; i < count; ++i)
      session().run(session().group(), 0, store(memory.va() + i * 4, i), "job behind blocked groups");
  }

  void open_gate() {
    const auto open = session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, gate().va()); });
    session().run(session().group(), 0, open, "job that opens the gate");
  }

  [[nodiscard]] const GpuBuffer& gate() {
    if (!gate_) gate_.emplace(session().buffer(page));
    return *gate_;
  }

 private:
  std::optional<GpuBuffer> gate_;
  std::vector<Group> others_;
};

TEST_F(EvictionTest, BlockedGroup_KeepsItsRegisters) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    load_registers(cs);
    streams::wait_greater(cs, gate().va(), 0);
    store_registers(cs, memory.va());
  });
  session().submit(group, 0, stream, done);
  EXPECT_FALSE(done.wait(20ms));
  take_every_slot();
  EXPECT_FALSE(done.wait(0ns));
  open_gate();
  session().finish(done, group, "evicted group");
  for (unsigned i = 0; i < kept_registers; ++i) EXPECT_EQ(memory.read32(i * 4), kept_value(i)) << "r" << i;
}

TEST_F(EvictionTest, BlockedInsideCalls_ReturnsThroughThem) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  constexpr Reg sum{0};
  const auto inner = session().stream([&](CommandStreamBuilder& cs) {
    cs.add(sum, sum, 1);
    streams::wait_greater(cs, gate().va(), 0);
    cs.add(sum, sum, 10);
  });
  const auto outer = session().stream([&](CommandStreamBuilder& cs) {
    cs.call(inner, streams::call_address, streams::call_length);
    cs.add(sum, sum, 100);
  });
  const auto stream = session().stream([&](CommandStreamBuilder& cs) {
    cs.move(sum, 0);
    cs.call(outer, streams::call_address, streams::call_length);
    cs.add(sum, sum, 1000);
    streams::store(cs, memory.va(), sum);
    streams::publish(cs);
  });
  session().submit(group, 0, stream, done);
  EXPECT_FALSE(done.wait(20ms));
  take_every_slot();
  open_gate();
  session().finish(done, group, "group evicted inside two calls");
  EXPECT_EQ(memory.read32(0), 1111u);
}

TEST_F(EvictionTest, EveryQueueOfAGroup_KeepsItsPlace) {
  const unsigned queues = session().csif().cs_slot_count;
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group_of(queues);
  const Syncobj done(device());
  std::vector<QueueSubmit> jobs;
  for (unsigned queue = 0; queue < queues; ++queue) {
    const auto stream = session().stream([&](CommandStreamBuilder& cs) {
      cs.move(Reg{5}, 0xe0 + queue);
      streams::wait_greater(cs, gate().va(), 0);
      streams::store(cs, memory.va() + queue * 64, Reg{5});
      streams::publish(cs);
    });
    jobs.push_back({.queue = queue,
                    .stream_va = stream.va,
                    .stream_bytes = stream.bytes,
                    .syncs = {done.signal_op(queue + 1)}});
  }
  group.submit(jobs);
  EXPECT_FALSE(done.wait_point(1, 20ms));
  take_every_slot();
  open_gate();
  ASSERT_TRUE(done.wait_point(queues, hang_timeout));
  for (unsigned queue = 0; queue < queues; ++queue)
    EXPECT_EQ(memory.read32(queue * 64), 0xe0 + queue) << "queue " << queue;
}

TEST_F(EvictionTest, RunningGroups_ShareTheSlotsInTurns) {
  // Twice as many busy groups as slots: none may starve while the others spin.
  const unsigned count = 2 * session().csif().csg_slot_count;
  const GpuBuffer memory = session().buffer(count * 64);
  std::vector<Group> groups;
  std::vector<Syncobj> fences;
  for (unsigned i = 0; i < count; ++i) {
    groups.push_back(session().group());
    fences.emplace_back(device());
    const auto stream = session().stream([&](CommandStreamBuilder& cs) {
      load_registers(cs);
      streams::spin(cs, 200'000);
      streams::store(cs, memory.va() + i * 64, Reg{static_cast<uint8_t>(i)});
      streams::publish(cs);
    });
    session().submit(groups[i], 0, stream, fences[i]);
  }
  for (unsigned i = 0; i < count; ++i) {
    session().finish(fences[i], groups[i], "busy group");
    EXPECT_EQ(memory.read32(i * 64), kept_value(i));
  }
}

}  // namespace
}  // namespace panthor::test
