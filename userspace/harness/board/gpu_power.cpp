// SPDX-License-Identifier: MIT
#include "board/gpu_power.hpp"

#include <fstream>
#include <thread>

namespace harness {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(20);

}  // namespace

GpuPower::GpuPower(const BoardTree& board) : board_(board) {
  const auto node = find_gpu_node(board_);
  directory_ = (node ? node->sysfs() : "/nowhere") + "/power/";
}

bool GpuPower::let_suspend(bool may) const {
  std::ofstream control(board_.path(directory_ + "control"));
  control << (may ? "auto" : "on") << std::flush;
  return control.good();
}

bool GpuPower::wait_suspended(std::chrono::nanoseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!suspended()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(poll_interval);
  }
  return true;
}

}  // namespace harness
