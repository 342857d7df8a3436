// SPDX-License-Identifier: MIT
#pragma once

#include <drm/panthor_drm.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "calls/call_image.hpp"
#include "player/kernel.hpp"

namespace recording::test {

/// A kernel of a few lines: hands out numbers from 1 for whatever a call makes, remembers the calls, and lets
/// a test decide the result. Mappings are ordinary memory.
class FakeKernel final : public Kernel {
 public:
  struct Call {
    uint32_t request;
    std::vector<std::byte> argument;
  };

  uint32_t next_id = 1;
  /// Result of each call; 0 unless a test says otherwise.
  std::function<int(uint32_t request, void* argument)> answer = [](uint32_t, void*) { return 0; };
  std::vector<Call> calls;
  std::map<std::byte*, std::vector<std::byte>> mappings;
  int open_files = 0;
  uint64_t time_ns = 1'000'000'000;

  int open_node() override { return ++open_files, 100 + open_files; }
  void close(int) override { --open_files; }
  int duplicate(int) override { return ++open_files, 100 + open_files; }
  int ioctl(int, uint32_t request, void* argument) override {
    const CallLayout* layout = find_call(request);
    const size_t size = _IOC_SIZE(request);
    auto* bytes = static_cast<std::byte*>(argument);
    const bool readable = reinterpret_cast<uint64_t>(argument) != unmapped_address();
    calls.push_back(
        {request, readable ? std::vector<std::byte>(bytes, bytes + size) : std::vector<std::byte>()});
    const int error = answer(request, argument);
    if (error != 0 || layout == nullptr || !readable) return error;
    for (const IdField& field : layout->argument.ids)
      if (field.role == Role::makes) store_field({bytes, size}, field.offset, 4, next_id++);
    return 0;
  }
  std::byte* map(int, uint64_t, uint64_t length, uint32_t, int& error) override {
    error = length > (16 << 20) ? ENOMEM : 0;
    if (error != 0) return nullptr;
    std::vector<std::byte> memory(length);
    std::byte* address = memory.data();
    mappings.emplace(address, std::move(memory));
    return address;
  }
  void unmap(std::byte* address, uint64_t) override { mappings.erase(address); }
  uint64_t now_ns() override { return time_ns; }
  void sleep_until(uint64_t until_ns) override { time_ns = std::max(time_ns, until_ns); }
  uint64_t unmapped_address() override { return 0x1000; }
};

}  // namespace recording::test
