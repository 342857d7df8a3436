// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <system_error>

#include "jobs/check.hpp"
#include "jobs/session.hpp"
#include "jobs/streams.hpp"
#include "panthor/panthor.hpp"

namespace panthor::test {

using harness::GpuBuffer;
using harness::Session;
namespace streams = harness::streams;
using namespace std::chrono_literals;

/// How long a wait may take before it is a failure; longer than the driver's own job timeout (JOB_TIMEOUT_MS,
/// 5 s).
inline constexpr auto hang_timeout = 20s;
inline constexpr uint64_t page = 4096;

/// A test with a session on the first panthor render node; skipped when there is none.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override;

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] const Device& device() const { return session_->device(); }
  [[nodiscard]] const VirtualMemory& vm() const { return session_->vm(); }

  /// A stream that stores `value` at `va` and publishes it.
  [[nodiscard]] CommandStream store(uint64_t va, uint32_t value);
  /// Shows that the device still computes: a new file, VM and group store a word.
  void expect_device_works() const;

 private:
  std::optional<Session> session_;
};

/// The errno of the std::system_error `call` throws; 0 when it throws nothing.
template <typename Call>
int errno_of(Call&& call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

#define EXPECT_ERRNO(expected, statement) \
  EXPECT_EQ(expected, ::panthor::test::errno_of([&] { statement; })) << #statement

}  // namespace panthor::test
