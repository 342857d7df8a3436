// SPDX-License-Identifier: MIT
#include "ladder/stage.hpp"

#include <array>

namespace harness {
namespace {

struct Row {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Row, 9> table = {{
    {"S0", "the system call itself does not return or fails"},
    {"S1", "the job waits for a fence that does not signal, or a bind does not complete"},
    {"S2", "dependencies done, but the driver never took the job"},
    {"S3", "the driver cannot run it: power, firmware boot, reset or group refused"},
    {"S4", "the group gets no slot: the firmware did not acknowledge, or the scheduler stopped"},
    {"S5", "on a slot, but the GPU does not fetch the stream"},
    {"S6", "the GPU runs the stream or is blocked in it"},
    {"S7", "the GPU is done, the driver was not told"},
    {"S8", "the fence signalled, the waiter still sleeps"},
}};

}  // namespace

std::string_view stage_name(Stage stage) noexcept {
  return table[static_cast<size_t>(stage)].name;
}

std::string_view stage_meaning(Stage stage) noexcept {
  return table[static_cast<size_t>(stage)].meaning;
}

}  // namespace harness
