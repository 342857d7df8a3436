// SPDX-License-Identifier: MIT
#include "bench/bench_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "panthor/unique_fd.hpp"

namespace harness {
namespace {

constexpr const char* control_path = "/sys/kernel/debug/panthor_vgpu/control";
constexpr std::string_view request = "cputime\n";
constexpr std::string_view answer_starts = "cputime ";

/// UML's own parameter for it is on the kernel's command line.
bool in_virtual_time() {
  std::ifstream file("/proc/cmdline");
  std::string parameters;
  std::getline(file, parameters);
  return parameters.find("time-travel") != std::string::npos;
}

class WallClock final : public BenchClock {
 public:
  uint64_t now_ns() override {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  }
  const char* name() const noexcept override { return "wall"; }
};

class GuestCpuClock final : public BenchClock {
 public:
  GuestCpuClock() : control_(::open(control_path, O_RDWR | O_CLOEXEC)) {
    if (!control_)
      throw std::system_error(errno, std::generic_category(), std::string("open ") + control_path);
    (void)now_ns();
  }
  uint64_t now_ns() override {
    // The answer is taken after the write: what reading it costs is outside or part of every batch alike.
    if (::pwrite(control_.get(), request.data(), request.size(), 0) < 0)
      throw std::system_error(errno, std::generic_category(), std::string("write ") + control_path);
    std::array<char, 256> buffer{};
    const ssize_t got = ::pread(control_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) throw std::system_error(errno, std::generic_category(), std::string("read ") + control_path);
    const std::string_view answer(buffer.data(), static_cast<size_t>(got));
    uint64_t ns = 0;
    if (!answer.starts_with(answer_starts) ||
        std::from_chars(answer.data() + answer_starts.size(), answer.data() + answer.size(), ns).ec !=
            std::errc())
      throw std::system_error(EPROTO, std::generic_category(),
                              "the virtual GPU does not tell the guest's CPU time: \"" +
                                  std::string(answer.substr(0, answer.find('\n'))) + "\"");
    return ns;
  }
  const char* name() const noexcept override { return "guest-cpu"; }

 private:
  panthor::UniqueFd control_;
};

}  // namespace

std::unique_ptr<BenchClock> make_wall_clock() {
  return std::make_unique<WallClock>();
}

std::unique_ptr<BenchClock> make_guest_cpu_clock() {
  return std::make_unique<GuestCpuClock>();
}

std::unique_ptr<BenchClock> make_bench_clock(const std::string& name) {
  if (name == "wall") {
    if (in_virtual_time())
      throw std::invalid_argument(
          "this guest runs in virtual time, where the wall clock stands while the driver computes: "
          "--clock guest-cpu");
    return make_wall_clock();
  }
  if (name == "guest-cpu") return make_guest_cpu_clock();
  if (name != "auto") throw std::invalid_argument("no clock \"" + name + "\": wall, guest-cpu or auto");
  return ::access(control_path, R_OK | W_OK) == 0 ? make_guest_cpu_clock() : make_wall_clock();
}

}  // namespace harness
