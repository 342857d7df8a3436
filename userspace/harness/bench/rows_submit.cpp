// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"
#include "jobs/check.hpp"

namespace harness {
namespace {

using panthor::QueueSubmit;

/// Two groups of two queues, and a stream that does next to nothing.
class Submit : public Workload {
 public:
  void restore(unsigned) override {
    for (const panthor::Group& group : groups_)
      expect(group.state().usable(), "a group is not usable after its jobs");
  }

 protected:
  explicit Submit(const panthor::Device& device)
      : Workload(device),
        groups_{session_.group_of(2), session_.group_of(2)},
        stream_(session_.stream([](panthor::CommandStreamBuilder& cs) {
          for (unsigned i = 0; i < 8; ++i) cs.nop();
        })),
        first_(session_.device()),
        done_(session_.device()) {}

  [[nodiscard]] QueueSubmit job(uint32_t queue, std::vector<panthor::SyncOp> syncs = {}) const {
    return {.queue = queue,
            .stream_va = stream_.va,
            .stream_bytes = stream_.bytes,
            .latest_flush = 0,
            .syncs = std::move(syncs)};
  }
  void wait_done() const { expect(done_.wait(session_.timeout()), "the fence of a job did not signal"); }

  panthor::Group groups_[2];
  panthor::CommandStream stream_;
  panthor::Syncobj first_;
  panthor::Syncobj done_;
};

class Single final : public Submit {
 public:
  explicit Single(const panthor::Device& device) : Submit(device) {}
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      groups_[0].submit(job(0, {done_.signal_op()}));
      wait_done();
    }
  }
};

class Batch final : public Submit {
 public:
  Batch(const panthor::Device& device, unsigned depth) : Submit(device) {
    for (unsigned i = 1; i < depth; ++i) jobs_.push_back(job(0));
    jobs_.push_back(job(0, {done_.signal_op()}));
  }
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      groups_[0].submit(jobs_);
      wait_done();
    }
  }

 private:
  std::vector<QueueSubmit> jobs_;
};

/// The second job waits for the fence of the first, on another queue of the group or in another group.
class Dependent final : public Submit {
 public:
  Dependent(const panthor::Device& device, bool other_group)
      : Submit(device), second_(groups_[other_group ? 1 : 0]) {}
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      groups_[0].submit(job(0, {first_.signal_op()}));
      second_.submit(job(1, {first_.wait_op(), done_.signal_op()}));
      wait_done();
    }
  }

 private:
  const panthor::Group& second_;
};

constexpr BenchRow table[] = {
    {"submit.nop", "GROUP_SUBMIT of a few NOPs, wait for its syncobj", 8, make_workload<Single>},
    {"submit.batch16", "one GROUP_SUBMIT of 16 jobs, wait for the last", 1, make_workload<Batch, 16u>},
    {"submit.queue_dep", "a job, and one on another queue that waits for it", 4,
     make_workload<Dependent, false>},
    {"submit.group_dep", "a job, and one of another group that waits for it", 4,
     make_workload<Dependent, true>},
};

}  // namespace

std::span<const BenchRow> submit_rows() {
  return table;
}

}  // namespace harness
