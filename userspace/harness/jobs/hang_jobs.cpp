// SPDX-License-Identifier: MIT
#include "jobs/hang_jobs.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <xf86drm.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "jobs/session.hpp"
#include "jobs/streams.hpp"
#include "ladder/compute_job.hpp"
#include "panthor/unique_fd.hpp"

namespace harness {
namespace {

using namespace std::chrono_literals;
using panthor::CommandStreamBuilder;
using panthor::Syncobj;
using std::chrono::nanoseconds;
using Waiting = std::function<void()>;

/// A fence that never signals, from the kernel's software timeline (CONFIG_SW_SYNC,
/// drivers/dma-buf/sw_sync.c).
class DeadFence {
 public:
  DeadFence() : timeline_(::open(path, O_RDWR | O_CLOEXEC)) {
    if (!timeline_) throw std::system_error(errno, std::generic_category(), path);
    if (::ioctl(timeline_.get(), create_fence, &fence_) != 0)
      throw std::system_error(errno, std::generic_category(), "SW_SYNC_IOC_CREATE_FENCE");
    sync_file_.reset(fence_.fence);
  }

  [[nodiscard]] Syncobj syncobj(const panthor::Device& device) const {
    Syncobj object(device);
    if (drmSyncobjImportSyncFile(device.fd(), object.handle(), sync_file_.get()) != 0)
      throw std::system_error(errno, std::generic_category(), "drmSyncobjImportSyncFile");
    return object;
  }

 private:
  static constexpr const char* path = "/sys/kernel/debug/sync/sw_sync";
  struct CreateFence {
    uint32_t value;
    char name[32];
    int32_t fence;
  };
  static constexpr unsigned long create_fence = _IOWR('W', 0, CreateFence);

  panthor::UniqueFd timeline_;
  CreateFence fence_{.value = 1, .name = "never", .fence = -1};
  panthor::UniqueFd sync_file_;
};

bool wait(const Syncobj& done, nanoseconds patience, const Waiting& waiting) {
  waiting();
  return done.wait(patience);
}

Session session_on(const std::string& node, nanoseconds patience) {
  return {panthor::Device::open_path_or_first(node), patience};
}

/// One job on a group of its own.
bool one_job(Session& session, const std::function<void(CommandStreamBuilder&)>& write, nanoseconds patience,
             const Waiting& waiting, std::vector<panthor::SyncOp> waits = {}) {
  const panthor::Group group = session.group();
  const Syncobj done(session.device());
  session.submit(group, 0, session.stream(write), done, std::move(waits));
  return wait(done, patience, waiting);
}

void eight_nops(CommandStreamBuilder& cs) {
  for (int i = 0; i < 8; ++i) cs.nop();
}

bool nops(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  return one_job(session, eight_nops, patience, waiting);
}

bool after_idle(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  std::this_thread::sleep_for(300ms);  // autosuspend_delay_ms is 50 (panthor_device.c)
  return one_job(session, eight_nops, patience, waiting);
}

bool in_fence(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const DeadFence dead;
  const Syncobj never = dead.syncobj(session.device());
  return one_job(session, eight_nops, patience, waiting, {never.wait_op()});
}

bool bind(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const DeadFence dead;
  const Syncobj never = dead.syncobj(session.device());
  const Syncobj bound(session.device());
  session.vm().bind_async(panthor::BindOp::sync_only({never.wait_op(), bound.signal_op()}));
  return one_job(session, eight_nops, patience, waiting, {bound.wait_op()});
}

bool crowd(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  std::vector<panthor::Group> groups;
  std::vector<Syncobj> fences;
  for (unsigned i = 0; i < session.csif().csg_slot_count; ++i) {
    groups.push_back(session.group_of(1, panthor::GroupPriority::high));
    fences.emplace_back(session.device());
    session.submit(groups.back(), 0, session.stream([](CommandStreamBuilder& cs) { cs.branch(cs.here()); }),
                   fences.back());
  }
  std::this_thread::sleep_for(50ms);
  const panthor::Group last = session.group_of(1, panthor::GroupPriority::low);
  const Syncobj done(session.device());
  session.submit(last, 0, session.stream(eight_nops), done);
  return wait(done, patience, waiting);
}

bool sync_wait(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const GpuBuffer gate = session.buffer(4096);
  return one_job(
      session, [&](CommandStreamBuilder& cs) { streams::wait_greater(cs, gate.va(), 0); }, patience, waiting);
}

bool loop(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  return one_job(
      session, [](CommandStreamBuilder& cs) { cs.branch(cs.here()); }, patience, waiting);
}

bool shader(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const ComputeJob compute(session);
  return one_job(
      session, [&](CommandStreamBuilder& cs) { compute.dispatch(cs, 1u << 16, 1u << 16); }, patience,
      waiting);
}

bool page_fault(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const uint64_t nowhere = session.address_space(4096);
  return one_job(
      session,
      [&](CommandStreamBuilder& cs) {
        streams::store(cs, nowhere, 1);
        streams::publish(cs);
      },
      patience, waiting);
}

bool wrong_point(const std::string& node, nanoseconds patience, const Waiting& waiting) {
  Session session = session_on(node, patience);
  const panthor::Group group = session.group();
  const Syncobj points(session.device());
  const auto stream = session.stream(eight_nops);
  group.submit(
      {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {points.signal_op(1)}});
  waiting();
  return points.wait_point(2, patience, panthor::WaitMode::for_submit);
}

constexpr std::array table = std::to_array<HangJob>({
    {"nops", "NOPs; signals unless a fault is armed", Stage::executing, nops},
    {"after-idle", "NOPs that have to resume the GPU; signals unless a fault is armed", Stage::refused,
     after_idle},
    {"in-fence", "waits for a fence that nobody signals (needs root and CONFIG_SW_SYNC)", Stage::dependency,
     in_fence},
    {"bind", "waits for a VM_BIND that waits for such a fence", Stage::dependency, bind},
    {"crowd", "of low priority, while endless groups of high priority hold every slot", Stage::no_slot,
     crowd},
    {"sync-wait", "blocks on a sync object that nobody signals", Stage::executing, sync_wait},
    {"loop", "loops for ever", Stage::executing, loop},
    {"shader", "dispatches more workgroups than anybody waits for", Stage::executing, shader},
    {"page-fault", "stores to an address without memory", Stage::executing, page_fault},
    {"wrong-point", "finishes, but its process waits for a point that nobody submits", Stage::wake_up,
     wrong_point},
});

}  // namespace

std::span<const HangJob> hang_jobs() {
  return table;
}

}  // namespace harness
