// SPDX-License-Identifier: MIT
// A program to record: several threads share one open node and one VM, each with its own buffers, group and
// syncobjs, and ends with a descriptor, a mapping and a dma-buf duplicated. Exit status 1: a result was
// wrong.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "jobs/check.hpp"
#include "jobs/gpu_buffer.hpp"
#include "jobs/streams.hpp"
#include "panthor/panthor.hpp"

namespace {

using namespace std::chrono_literals;

constexpr unsigned threads = 4;
constexpr unsigned rounds = 12;
constexpr uint64_t va_of_threads = 64 << 20;
constexpr uint64_t va_each = 1 << 20;

/// Adds to one word by the GPU, round after round, with a command buffer that is written anew each time.
void work(const panthor::Device& device, const panthor::VirtualMemory& vm, unsigned number) {
  const uint64_t va = va_of_threads + number * va_each;
  const harness::GpuBuffer code(device, vm, va, 4096, panthor::BindFlags::readonly);
  const harness::GpuBuffer data(device, vm, va + 4096, 4096, panthor::BindFlags::noexec);
  const panthor::Group group(device, vm, {.queues = std::vector<panthor::QueueOptions>(1)});
  for (unsigned round = 1; round <= rounds; ++round) {
    panthor::CommandStreamBuilder cs(code.words(), code.va(), device.csif_info().cs_reg_count);
    harness::streams::store(cs, data.va() + round * 8, number * 1000 + round);
    harness::streams::publish(cs);
    const panthor::CommandStream stream = cs.finish();
    const panthor::Syncobj done(device);
    group.submit(
        {.queue = 0, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = {done.signal_op()}});
    harness::expect(done.wait(10s), "a fence of a thread did not signal");
    harness::expect_equal("word of the round", data.read32(round * 8), number * 1000 + round);
  }
}

void duplicate_things(const panthor::Device& device) {
  const panthor::BufferObject bo(device, 8192);
  const panthor::UniqueFd exported = bo.export_dma_buf();
  const int copy = ::fcntl(exported.get(), F_DUPFD_CLOEXEC, 0);
  const int node = ::dup(device.fd());
  const panthor::Mapping mapping = bo.map();
  mapping.as<uint32_t>()[0] = 1;
  ::close(copy);
  ::close(node);
}

}  // namespace

int main() {
  try {
    const auto device = panthor::Device::open_first();
    const panthor::VirtualMemory vm(device, 1ull << 40);
    std::array<std::exception_ptr, threads> failures;
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        try {
          work(device, vm, i);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    for (std::thread& thread : running) thread.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    duplicate_things(device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_threads: %s\n", error.what());
    return 1;
  }
}
