// SPDX-License-Identifier: MIT
#include <cerrno>

#include "device_test.hpp"

namespace panthor::test {
namespace {

using SubmitTest = DeviceTest;

TEST_F(SubmitTest, Store_ReachesMemory) {
  const GpuBuffer memory = session().buffer(page);
  session().run(session().group(), 0, store(memory.va() + 8, 0x5707e), "store");
  EXPECT_EQ(memory.read32(8), 0x5707eu);
}

TEST_F(SubmitTest, NopsEnd) {
  const auto nops = session().stream([](CommandStreamBuilder& cs) {
    for (int i = 0; i < 64; ++i) cs.nop();
  });
  EXPECT_NO_THROW(session().run(session().group(), 0, nops, "nops"));
}

TEST_F(SubmitTest, BadStreamsAreRefused) {
  const Group group = session().group();
  const auto stream = store(session().buffer(page).va(), 1);
  const auto with = [&](auto change) {
    QueueSubmit job{.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {}};
    change(job);
    return job;
  };
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.stream_va += 8; })));
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.stream_bytes += 4; })));
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.stream_va = 0; })));
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.stream_bytes = 0; })));
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.queue = 1; })));
  EXPECT_ERRNO(EINVAL, group.submit(with([](QueueSubmit& job) { job.latest_flush = 1u << 24; })));
  EXPECT_TRUE(group.state().usable());
}

TEST_F(SubmitTest, BadSyncsAreRefused) {
  const Group group = session().group();
  const Syncobj empty(device());
  const auto with = [](SyncOp op) { return QueueSubmit{.syncs = {op}}; };
  EXPECT_ERRNO(EINVAL, group.submit(with(empty.wait_op()))) << "nothing to wait for was ever submitted";
  EXPECT_ERRNO(ENOENT, group.submit(with({SyncOp::Kind::wait, false, 0xffff, 0}))) << "no such syncobj";
  EXPECT_ERRNO(EINVAL, group.submit(with({SyncOp::Kind::signal, false, empty.handle(), 1})))
      << "point of a binary";
}

TEST_F(SubmitTest, OneBadJobRefusesTheWholeSubmit) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const auto stream = store(memory.va(), 0xbad);
  const QueueSubmit jobs[] = {
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {done.signal_op()}},
      {.queue = 7, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {}}};
  EXPECT_ERRNO(EINVAL, group.submit(jobs));
  EXPECT_ERRNO(EINVAL, (void)done.wait(0ns)) << "no fence was attached";
  session().run(group, 0, store(memory.va() + 4, 1), "next job");
  EXPECT_EQ(memory.read32(0), 0u);
}

TEST_F(SubmitTest, JobsOfOneSubmitMayDependOnEachOther) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group_of(2);
  const Syncobj middle(device());
  const Syncobj done(device());
  const auto first = session().stream([&](CommandStreamBuilder& cs) {
    streams::spin(cs, 1000);
    streams::store(cs, memory.va(), 1);
    streams::publish(cs);
  });
  const auto second = store(memory.va(), 2);
  const QueueSubmit jobs[] = {
      {.queue = 0, .stream_va = first.va, .stream_bytes = first.bytes, .syncs = {middle.signal_op()}},
      {.queue = 1,
       .stream_va = second.va,
       .stream_bytes = second.bytes,
       .syncs = {middle.wait_op(), done.signal_op()}}};
  group.submit(jobs);
  session().finish(done, group, "second job");
  EXPECT_EQ(memory.read32(0), 2u);
}

TEST_F(SubmitTest, ManyJobsFillTheRingAndKeepTheirOrder) {
  constexpr uint32_t jobs = 600;  // a ring of 4 KiB holds 32 of the kernel's call sequences
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group({.queues = {{.priority = 1, .ring_bytes = 4096}}});
  const auto increment = session().stream([&](CommandStreamBuilder& cs) {
    cs.move(streams::address, memory.va());
    cs.load(streams::data, 1, streams::address);
    cs.wait();
    cs.add(streams::data, streams::data, 1);
    streams::store(cs, memory.va(), streams::data);
    streams::publish(cs);
  });
  const Syncobj done(device());
  for (uint32_t i = 0; i < jobs; ++i) session().submit(group, 0, increment, done);
  session().finish(done, group, "last job");
  EXPECT_EQ(memory.read32(0), jobs);
}

TEST_F(SubmitTest, RegistersOfAQueueOutliveAJob) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const auto set = session().stream([](CommandStreamBuilder& cs) { cs.move(Reg{11}, 0x11u); });
  const auto get = session().stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, memory.va(), Reg{11});
    streams::publish(cs);
  });
  session().run(group, 0, set, "job that sets");
  session().run(group, 0, get, "job that stores");
  EXPECT_EQ(memory.read32(0), 0x11u);
}

}  // namespace
}  // namespace panthor::test
