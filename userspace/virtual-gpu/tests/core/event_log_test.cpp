// SPDX-License-Identifier: MIT
#include "core/event_log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace vgpu {
namespace {

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  return text;
}

TEST(EventLog, LinesCarryModelTimeAndFields) {
  VirtualClock clock;
  EventLog log(clock);
  std::FILE* file = std::tmpfile();
  log.write_to(file);
  clock.advance_to(42);
  log.event("gpu.flush", "id={:#x}", 7);
  log.event("gpu.idle");
  EXPECT_EQ(content(file), "42 gpu.flush id=0x7\n42 gpu.idle\n");
  std::fclose(file);
}

TEST(EventLog, UnmodelledIsLoggedOnceAndCountedAlways) {
  VirtualClock clock;
  EventLog log(clock);
  std::FILE* file = std::tmpfile();
  log.write_to(file);
  log.unmodelled("GPU_CMD 0x42");
  log.unmodelled("GPU_CMD 0x42");
  EXPECT_EQ(content(file), "0 model.unmodelled GPU_CMD 0x42\n");
  EXPECT_EQ(log.unmodelled_accesses().at("GPU_CMD 0x42"), 2u);
  std::fclose(file);
}

TEST(EventLog, SummaryIsInNameOrder) {
  VirtualClock clock;
  EventLog log(clock);
  log.counter("b.count") += 2;
  ++log.counter("a.count");
  log.unmodelled("x");
  std::FILE* file = std::tmpfile();
  log.write_summary(file);
  EXPECT_EQ(content(file), "counter a.count 1\ncounter b.count 2\nunmodelled 1 x\n");
  std::fclose(file);
}

}  // namespace
}  // namespace vgpu
