// SPDX-License-Identifier: MIT
#include "hang/workload.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xf86drm.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <stdexcept>
#include <system_error>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"
#include "ladder/compute_job.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;
using panthor::Group;
using panthor::GroupPriority;
using panthor::Syncobj;

/// Longer than anyone waits, and no overflow when the kernel adds it to now.
constexpr auto for_ever = std::chrono::hours(24 * 365);
constexpr uint64_t gate_offset = 0x100;

Session open_session(const WorkloadContext& context) {
  return {panthor::Device::open(context.node), for_ever};
}

/// A job that stores a word; a stream is what is different between workloads.
panthor::CommandStream storing(Session& session, const GpuBuffer& out) {
  return session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, out.va(), 1);
    streams::publish(cs);
  });
}

/// Submits and waits for ever; a fence that signals for a job that did not run is a Failure.
void run_and_wait(WorkloadContext& context, Session& session, const Group& group,
                  const panthor::CommandStream& stream, std::vector<panthor::SyncOp> waits = {}) {
  const Syncobj done(session.device());
  context.ready();
  session.submit(group, 0, stream, done, std::move(waits));
  session.finish(done, group, "fence of the job");
}

void plain(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  session.run(group, 0, stream, "first job");
  out.write32(0, 0);
  run_and_wait(context, session, group, stream);
  expect_equal("word the job stored", out.read32(0), 1u);
}

void fresh_group(WorkloadContext& context) {
  Session session = open_session(context);
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  session.run(session.group(), 0, stream, "job of another group");
  const Group group = session.group();
  run_and_wait(context, session, group, stream);
}

void compute(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const ComputeJob job(session);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    job.dispatch(cs, 64, 64);
    streams::publish(cs);
  });
  session.run(group, 0, stream, "first dispatch");
  run_and_wait(context, session, group, stream);
}

void endless_stream(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  run_and_wait(context, session, group,
               session.stream([](CommandStreamBuilder& cs) { cs.branch(cs.here()); }));
}

void sync_wait(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer gate = session.buffer(4096);
  run_and_wait(context, session, group, session.stream([&](CommandStreamBuilder& cs) {
    streams::wait_greater(cs, gate.va() + gate_offset, 0);
  }));
}

/// Queue 1 waits, queue 0 meets the wait a moment later: a job that ends, unless the wake-up is lost.
void sync_wait_met(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group_of(2);
  const GpuBuffer gate = session.buffer(4096);
  const auto waits = session.stream(
      [&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va() + gate_offset, 0); });
  const auto signals = session.stream([&](CommandStreamBuilder& cs) {
    streams::spin(cs, 10'000);
    streams::signal(cs, gate.va() + gate_offset);
  });
  const Syncobj signalled(session.device()), waited(session.device());
  context.ready();
  session.submit(group, 1, waits, waited);
  session.submit(group, 0, signals, signalled);
  session.finish(waited, group, "fence of the job that waits");
}

void page_fault(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const uint64_t nowhere = session.address_space(4096);
  run_and_wait(context, session, group, session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, nowhere, 1);
    streams::publish(cs);
  }));
}

void illegal_instruction(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  run_and_wait(context, session, group,
               session.stream([](CommandStreamBuilder& cs) { cs.emit(0xff00'0000'0000'0000); }));
}

/// A fence of sw_sync, the kernel's fences for tests: nobody will signal it.
void in_fence(WorkloadContext& context) {
  struct CreateFence {  // linux/sw_sync: struct sw_sync_create_fence_data
    __u32 value;
    char name[32];
    __s32 fence;
  } create{1, "never", -1};
  constexpr unsigned long create_fence = _IOWR('W', 0, CreateFence);
  const panthor::UniqueFd timeline(::open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC));
  if (!timeline)
    throw std::system_error(errno, std::generic_category(),
                            "open /sys/kernel/debug/sync/sw_sync (CONFIG_SW_SYNC)");
  if (::ioctl(timeline.get(), create_fence, &create) != 0)
    throw std::system_error(errno, std::generic_category(), "SW_SYNC_IOC_CREATE_FENCE");
  const panthor::UniqueFd fence(create.fence);

  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  const Syncobj never(session.device());
  if (::drmSyncobjImportSyncFile(session.device().fd(), never.handle(), fence.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "SYNCOBJ_FD_TO_HANDLE");
  run_and_wait(context, session, group, stream, {never.wait_op()});
}

void bind_then_run(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const uint64_t va = session.address_space(4096);
  const auto stream = session.stream([&](CommandStreamBuilder& cs) {
    streams::store(cs, va, 1);
    streams::publish(cs);
  });
  const Syncobj bound(session.device()), done(session.device());
  context.ready();
  session.vm().bind_async(
      panthor::BindOp::map(out.bo(), va, panthor::BindFlags::noexec, {bound.signal_op()}));
  session.submit(group, 0, stream, done, {bound.wait_op()});
  session.finish(done, group, "fence of the job behind a bind");
}

void bind_now(WorkloadContext& context) {
  Session session = open_session(context);
  const panthor::BufferObject bo(session.device(), 4096);
  const uint64_t va = session.address_space(4096);
  context.ready();
  session.vm().map(bo, va);
}

void ask_state(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  session.run(group, 0, stream, "first job");
  const Syncobj done(session.device());
  context.ready();
  session.submit(group, 0, stream, done);
  (void)done.wait(std::chrono::milliseconds(100));
  (void)group.state();
  session.finish(done, group, "fence of the job");
}

/// A group that died of its first job, and a process that does not look at its state and submits again.
void dead_group(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const auto bad = session.stream([](CommandStreamBuilder& cs) { cs.emit(0xff00'0000'0000'0000); });
  const GpuBuffer out = session.buffer(4096);
  const auto good = storing(session, out);
  const Syncobj first(session.device());
  context.ready();
  session.submit(group, 0, bad, first);
  (void)first.wait(for_ever);
  session.run(group, 0, good, "job in a group that died");
}

/// More busy groups than slots at medium priority, and the job of one at low priority.
void slots_full(WorkloadContext& context) {
  constexpr unsigned busy = 9, jobs_each = 12;
  constexpr uint32_t grid = 1400;  // 2 million tasks: about 0.1 s of all cores each
  Session session = open_session(context);
  const ComputeJob job(session);
  const auto work = session.stream([&](CommandStreamBuilder& cs) { job.dispatch(cs, grid, grid); });
  std::deque<Group> groups;
  std::deque<Syncobj> fences;
  for (unsigned i = 0; i < busy; ++i) groups.push_back(session.group());
  const Group low = session.group_of(1, GroupPriority::low);
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  for (unsigned round = 0; round < jobs_each; ++round)
    for (const Group& group : groups) session.submit(group, 0, work, fences.emplace_back(session.device()));
  run_and_wait(context, session, low, stream);
}

void missing_point(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  const Syncobj timeline(session.device());
  context.ready();
  group.submit(
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {timeline.signal_op(1)}});
  (void)timeline.wait_point(2, for_ever, panthor::WaitMode::for_submit);
}

void wrong_syncobj(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  const Syncobj signalled(session.device()), waited(session.device());
  context.ready();
  session.submit(group, 0, stream, signalled);
  (void)waited.wait(for_ever, panthor::WaitMode::for_submit);
}

/// The user's process waits with WAIT_FOR_SUBMIT, as Mesa does for a timeline.
void point_of_job(WorkloadContext& context) {
  Session session = open_session(context);
  const Group group = session.group();
  const GpuBuffer out = session.buffer(4096);
  const auto stream = storing(session, out);
  const Syncobj timeline(session.device());
  context.ready();
  group.submit(
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {timeline.signal_op(1)}});
  (void)timeline.wait_point(1, for_ever, panthor::WaitMode::for_submit);
}

// clang-format off
constexpr Workload table[] = {
    {"plain",         "-",  "a job like one before it, in a group that has a slot",                        plain},
    {"fresh-group",   "-",  "the first job of a group",                                                    fresh_group},
    {"compute",       "-",  "a RUN_COMPUTE",                                                               compute},
    {"page-fault",    "-",  "a store to an address without memory",                                        page_fault},
    {"illegal",       "-",  "an instruction that does not exist",                                          illegal_instruction},
    {"bind-now",      "-",  "a synchronous VM_BIND",                                                       bind_now},
    {"bind-then-run", "-",  "a job behind an asynchronous VM_BIND",                                        bind_then_run},
    {"ask-state",     "-",  "a job, and GROUP_GET_STATE",                                                  ask_state},
    {"sync-met",      "-",  "a SYNC_WAIT that another queue meets",                                        sync_wait_met},
    {"point-of-job",  "-",  "a job, waited for by a point of a timeline",                                  point_of_job},
    {"in-fence",      "S1", "a job whose in-fence nobody signals (needs CONFIG_SW_SYNC and debugfs)",      in_fence},
    {"dead-group",    "S3", "a second job in a group that died of its first",                              dead_group},
    {"slots-full",    "S4", "a job of low priority while nine busy groups hold the eight slots",           slots_full},
    {"endless",       "S6", "a stream that loops for ever",                                                endless_stream},
    {"sync-wait",     "S6", "a SYNC_WAIT that nobody meets",                                               sync_wait},
    {"missing-point", "S8", "a wait for a point of a timeline that nobody signals",                        missing_point},
    {"wrong-syncobj", "S8", "a wait for a syncobj that the submit does not name",                          wrong_syncobj},
};
// clang-format on

}  // namespace

std::span<const Workload> workloads() noexcept {
  return table;
}

const Workload& find_workload(std::string_view name) {
  const auto it = std::ranges::find(table, name, &Workload::name);
  if (it != std::end(table)) return *it;
  std::string names;
  for (const Workload& workload : table) names += fmt::format(" {}", workload.name);
  throw std::invalid_argument(fmt::format("no workload is named \"{}\"; there are:{}", name, names));
}

}  // namespace harness
