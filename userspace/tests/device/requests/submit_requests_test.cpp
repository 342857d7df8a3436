// SPDX-License-Identifier: MIT
// GROUP_SUBMIT (panthor_ioctl_group_submit(), panthor_job_create()).
#include "requests/array_cases.hpp"

namespace panthor::test {
namespace {

/// A pure synchronisation point on the only queue of a group.
struct GroupSubmit {
  explicit GroupSubmit(World& world) {
    job.known.syncs.stride = sizeof(drm_panthor_sync_op);
    args = {.group_handle = world.group().handle(), .pad = 0, .queue_submits = array_of(job)};
  }
  GroupSubmit(const GroupSubmit&) = delete;
  GroupSubmit& operator=(const GroupSubmit&) = delete;

  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, args);
    EXPECT_TRUE(world.group().state().usable());
    return result;
  }
  drm_panthor_sync_op& add_sync() {
    job.known.syncs = array_of(sync);
    return sync.known;
  }

  Extended<drm_panthor_queue_submit> job;
  Extended<drm_panthor_sync_op> sync;
  drm_panthor_group_submit args{};
};

std::vector<Case<GroupSubmit>> submit_cases() {
  using Args = drm_panthor_group_submit;
  using Job = drm_panthor_queue_submit;
  const auto args = [](const std::string& name, int expected, auto change) {
    return Case<GroupSubmit>{name, expected, [=](GroupSubmit& r, World& w) { change(r.args, w); }};
  };
  const auto job = [](const std::string& name, int expected, auto change) {
    return Case<GroupSubmit>{name, expected, [=](GroupSubmit& r, World&) { change(r.job.known); }};
  };
  /// A stream that is refused before the GPU could fetch it.
  const auto stream = [&](const std::string& name, uint64_t va, uint32_t bytes) {
    return job(name, EINVAL, [=](Job& j) {
      j.stream_addr = va;
      j.stream_size = bytes;
    });
  };
  std::vector<Case<GroupSubmit>> table = {
      {"SynchronisationPoint", 0},
      args("Padding", EINVAL, [](Args& a, World&) { a.pad = 1; }),
      args("GroupZero", EINVAL, [](Args& a, World&) { a.group_handle = 0; }),
      args("UnknownGroup", EINVAL, [](Args& a, World&) { a.group_handle = Group::max_per_file; }),
      args("ForeignGroup", EINVAL, [](Args& a, World& w) { a.group_handle = w.foreign_group(); }),
      args("NoJobs", 0, [](Args& a, World&) { a.queue_submits.count = 0; }),
      args("NoJobsAndNoArray", 0, [](Args& a, World&) { a.queue_submits = {}; }),
      job("JobPadding", EINVAL, [](Job& j) { j.pad = 1; }),
      job("QueueBeyondTheLast", EINVAL, [](Job& j) { j.queue_index = 1; }),
      job("QueueBeyondAnyGpu", EINVAL, [](Job& j) { j.queue_index = 32; }),
      job("QueueOfAllBits", EINVAL, [](Job& j) { j.queue_index = ~0u; }),
      job("LargestFlushId", 0, [](Job& j) { j.latest_flush = 0xffffff; }),
      stream("AddressWithoutSize", 0x10000, 0),
      stream("SizeWithoutAddress", 0, 64),
      stream("AddressAlignedTo32", 0x10000 + 32, 64),
      stream("AddressAlignedTo8", 0x10000 + 8, 64),
      stream("AddressOneByteOff", 0x10000 + 1, 64),
      stream("SizeAlignedTo4", 0x10000, 4),
      stream("SizeOneByteOff", 0x10000, 65),
      stream("SizeOfAllBits", 0x10000, ~0u),
      stream("AddressOfAllBits", ~0ull, 64),
  };
  for (unsigned bit = 24; bit < 31; ++bit)
    table.push_back(
        job("FlushIdWithBit" + std::to_string(bit), EINVAL, [=](Job& j) { j.latest_flush = 1u << bit; }));
  std::vector<Case<GroupSubmit>> syncs = array_cases<GroupSubmit>(
      "Syncs", sizeof(drm_panthor_sync_op),
      [](GroupSubmit& r) -> drm_panthor_obj_array& { return r.job.known.syncs; },
      [](GroupSubmit& r) -> uint64_t& { return r.sync.unknown; });
  // They need a sync to be about.
  for (Case<GroupSubmit>& row : syncs)
    row.change = [change = row.change](GroupSubmit& r, World& w) {
      r.add_sync() = {
          .flags = DRM_PANTHOR_SYNC_OP_WAIT, .handle = w.signaled().handle(), .timeline_value = 0};
      change(r, w);
    };
  return table + syncs + sync_cases<GroupSubmit>() +
         array_cases<GroupSubmit>(
             "Jobs", sizeof(Job),
             [](GroupSubmit& r) -> drm_panthor_obj_array& { return r.args.queue_submits; },
             [](GroupSubmit& r) -> uint64_t& { return r.job.unknown; });
}

PANTHOR_REQUEST_TABLE(GroupSubmitRequest, GroupSubmit, submit_cases());

using GroupSubmits = DeviceTest;

TEST_F(GroupSubmits, FlushIdBit31IsNotChecked) {
  // Bits 30:24 must be zero; bit 31 belongs to the comparison (panthor_job_create()).
  const GpuBuffer memory = session().buffer(page);
  const auto stream = store(memory.va(), 31);
  const Syncobj done(device());
  const Group group = session().group();
  group.submit({.queue = 0,
                .stream_va = stream.va,
                .stream_bytes = stream.bytes,
                .latest_flush = 1u << 31,
                .syncs = {done.signal_op()}});
  session().finish(done, group, "store");
  EXPECT_EQ(memory.read32(0), 31u);
}

TEST_F(GroupSubmits, CurrentFlushIdIsAccepted) {
  const GpuBuffer memory = session().buffer(page);
  const FlushIdPage flush_id(device());
  const auto stream = store(memory.va(), 0xf1);
  const Syncobj done(device());
  const Group group = session().group();
  group.submit({.queue = 0,
                .stream_va = stream.va,
                .stream_bytes = stream.bytes,
                .latest_flush = flush_id.current(),
                .syncs = {done.signal_op()}});
  session().finish(done, group, "store");
  EXPECT_EQ(memory.read32(0), 0xf1u);
}

TEST_F(GroupSubmits, RefusedByALaterSyncLeavesNothing) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const Syncobj done(device());
  const Syncobj never(device());
  const auto stream = store(memory.va(), 0xbad);
  const QueueSubmit jobs[] = {
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {done.signal_op()}},
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {never.wait_op()}}};
  EXPECT_ERRNO(EINVAL, group.submit(jobs));
  EXPECT_ERRNO(EINVAL, (void)done.wait(0ns)) << "no fence was attached";
  session().run(group, 0, store(memory.va() + 4, 1), "next job");
  EXPECT_EQ(memory.read32(0), 0u);
}

TEST_F(GroupSubmits, SyncPointSignalsWithTheJobBeforeIt) {
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va(), 0); });
  const Syncobj first(device());
  const Syncobj point(device());
  session().submit(group, 0, blocked, first);
  group.submit({.queue = 0, .syncs = {point.signal_op()}});
  EXPECT_FALSE(point.wait(20ms)) << "signalled before the job in front of it";
  const Group opener = session().group();
  session().run(opener, 0,
                session().stream([&](CommandStreamBuilder& cs) { streams::signal(cs, memory.va()); }),
                "job that opens");
  session().finish(point, group, "synchronisation point");
}

TEST_F(GroupSubmits, TimelinePointsOfOneSubmitAreInOrder) {
  const Group group = session().group();
  const Syncobj chain(device());
  std::vector<QueueSubmit> jobs;
  for (uint64_t value = 1; value <= 8; ++value) {
    jobs.push_back({.queue = 0, .syncs = {chain.signal_op(value)}});
    if (value > 1) jobs.back().syncs.push_back(chain.wait_op(value - 1));
  }
  group.submit(jobs);
  ASSERT_TRUE(chain.wait_point(8, hang_timeout));
  EXPECT_EQ(chain.query(), 8u);
}

}  // namespace
}  // namespace panthor::test
