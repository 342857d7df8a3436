// SPDX-License-Identifier: MIT
#include "stress/hog.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace harness {
namespace {

constexpr uint64_t page = 4096;

[[noreturn]] void hold(uint64_t bytes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED)
    for (uint64_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
  for (;;) ::pause();
}

/// The number behind `key` in lines of "KEY NUMBER".
uint64_t number_of(const std::string& path, const std::string& key) {
  std::ifstream in(path);
  std::string word;
  while (in >> word)
    if (word == key) {
      uint64_t value = 0;
      in >> value;
      return value;
    }
  return 0;
}

}  // namespace

MemoryState read_memory_state(const std::string& proc) {
  const std::string meminfo = proc + "/meminfo";
  return {.available = number_of(meminfo, "MemAvailable:") << 10,
          .swap_free = number_of(meminfo, "SwapFree:") << 10,
          .swap_total = number_of(meminfo, "SwapTotal:") << 10,
          .swapped_out = number_of(proc + "/vmstat", "pswpout") * page};
}

Hog::Hog(uint64_t bytes) : pid_(::fork()) {
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) hold(bytes);
}

Hog::~Hog() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace harness
