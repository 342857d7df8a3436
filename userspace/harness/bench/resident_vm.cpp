// SPDX-License-Identifier: MIT
#include "bench/resident_vm.hpp"

#include <thread>

#include "jobs/check.hpp"
#include "jobs/streams.hpp"

namespace harness {
namespace {

using panthor::CommandStreamBuilder;

constexpr uint64_t arrived = 0, gate = 0x800;
constexpr unsigned waiting_queue = 0, releasing_queue = 1;
constexpr std::chrono::microseconds poll_interval{100};

}  // namespace

ResidentVm::ResidentVm(Session& session)
    : session_(session),
      memory_(session.buffer(4096)),
      group_(session.group_of(2)),
      wait_(session.stream([&](CommandStreamBuilder& cs) {
        streams::store(cs, memory_.va() + arrived, 1);
        streams::publish(cs);
        streams::wait_greater(cs, memory_.va() + gate, 0);
      })),
      release_(session.stream([&](CommandStreamBuilder& cs) { streams::signal(cs, memory_.va() + gate); })),
      waited_(session.device()),
      released_(session.device()) {}

void ResidentVm::enter() {
  memory_.write32(arrived, 0);
  memory_.write32(gate, 0);
  session_.submit(group_, waiting_queue, wait_, waited_);
  const auto deadline = std::chrono::steady_clock::now() + session_.timeout();
  while (memory_.read32(arrived) == 0) {
    expect(std::chrono::steady_clock::now() < deadline, "the job that keeps the VM on the GPU did not start");
    std::this_thread::sleep_for(poll_interval);
  }
}

void ResidentVm::leave() {
  session_.submit(group_, releasing_queue, release_, released_);
  session_.finish(waited_, group_, "job that keeps the VM on the GPU");
  session_.finish(released_, group_, "job that releases it");
}

}  // namespace harness
