// SPDX-License-Identifier: MIT
#include "stress/part.hpp"

#include <signal.h>

#include <thread>

#include "jobs/priorities.hpp"
#include "stress/plan.hpp"

namespace harness {

PartContext::PartContext(RungContext& rung, WorkerBoard& board, const WorkerPlan& plan)
    : rung_(rung), board_(board), plan_(plan), random_(plan.seed) {}

Session PartContext::session() {
  step("open() of the node");
  auto device = panthor::Device::open(rung_.node());
  step("VM_CREATE");
  return {std::move(device), rung_.deadline()};
}

void PartContext::step(std::string_view what) {
  rung_.step(what);
  if (++calls_ == plan_.dies_at_call) ::raise(SIGKILL);
}

void PartContext::submitted() {
  ++board_.submits;
  board_.in_flight = true;
}

void PartContext::pause(std::chrono::microseconds most) {
  std::this_thread::sleep_for(std::chrono::microseconds(below(static_cast<uint32_t>(most.count()) + 1)));
}

panthor::GroupPriority PartContext::priority(const panthor::Device& device) {
  const auto allowed = allowed_priorities(device);
  return allowed[below(static_cast<uint32_t>(allowed.size()))];
}

}  // namespace harness
