// SPDX-License-Identifier: MIT
#include "jobs/session.hpp"

#include <fmt/format.h>

#include "jobs/check.hpp"

namespace harness {
namespace {

constexpr uint64_t user_va_range = 1ull << 47;
constexpr uint64_t first_va = 32ull << 20;  // leaves null pointers and small offsets from them unbound
constexpr uint64_t stream_chunk = 256 << 10;
constexpr uint64_t stream_alignment = 64;  // QueueSubmit::stream_va

std::string describe(const panthor::GroupState& state) {
  return fmt::format("group: {}{}{}{}", state.usable() ? "usable" : "", state.timed_out ? "timed out" : "",
                     state.fatal_fault ? fmt::format(" fatal fault on queues {:#x}", state.fatal_queues) : "",
                     state.innocent ? " innocent" : "");
}

}  // namespace

Session::Session(panthor::Device device, std::chrono::nanoseconds timeout,
                 const std::optional<panthor::VaHeap>& heap)
    : device_(std::move(device)),
      csif_(device_.csif_info()),
      vm_(heap ? panthor::VirtualMemory(device_, user_va_range, *heap)
               : panthor::VirtualMemory(device_, user_va_range)),
      addresses_(first_va, first_heap_va - first_va),
      timeout_(timeout) {}

GpuBuffer Session::buffer(uint64_t bytes, panthor::BindFlags flags) {
  return {device_, vm_, address_space(bytes), bytes, flags};
}

uint64_t Session::address_space(uint64_t bytes, uint64_t alignment) {
  const uint64_t pages = (bytes + panthor::VirtualMemory::page_size - 1) / panthor::VirtualMemory::page_size;
  return addresses_.allocate(pages * panthor::VirtualMemory::page_size, alignment);
}

panthor::CommandStream Session::stream(const std::function<void(panthor::CommandStreamBuilder&)>& write) {
  const auto attempt = [&] {
    const GpuBuffer& chunk = stream_memory_.back();
    panthor::CommandStreamBuilder builder(chunk.words().subspan(stream_used_ / sizeof(uint64_t)),
                                          chunk.va() + stream_used_, csif_.cs_reg_count);
    write(builder);
    const panthor::CommandStream stream = builder.finish();
    stream_used_ += (stream.bytes + stream_alignment - 1) / stream_alignment * stream_alignment;
    return stream;
  };
  if (!stream_memory_.empty()) {
    try {
      return attempt();
    } catch (const std::length_error&) {
      // The rest of this chunk is too small: take a new one, in which it must fit.
    }
  }
  stream_memory_.push_back(buffer(stream_chunk, panthor::BindFlags::readonly));
  stream_used_ = 0;
  return attempt();
}

panthor::Group Session::group(const panthor::GroupOptions& options) const {
  return {device_, vm_, options};
}

panthor::Group Session::group_of(unsigned count, panthor::GroupPriority priority) const {
  return group({.priority = priority, .queues = std::vector<panthor::QueueOptions>(count)});
}

void Session::submit(const panthor::Group& group, unsigned queue, const panthor::CommandStream& stream,
                     const panthor::Syncobj& done, std::vector<panthor::SyncOp> waits) const {
  waits.push_back(done.signal_op());
  group.submit(
      {.queue = queue, .stream_va = stream.va, .stream_bytes = stream.bytes, .syncs = std::move(waits)});
}

void Session::run(const panthor::Group& group, unsigned queue, const panthor::CommandStream& stream,
                  std::string_view what) const {
  const panthor::Syncobj done(device_);
  submit(group, queue, stream, done);
  finish(done, group, what);
}

void Session::finish(const panthor::Syncobj& done, const panthor::Group& group, std::string_view what) const {
  if (!done.wait(timeout_))
    throw Failure(fmt::format("{}: fence not signalled after {} ms, {}", what,
                              std::chrono::duration_cast<std::chrono::milliseconds>(timeout_).count(),
                              describe(group.state())));
  if (const panthor::GroupState state = group.state(); !state.usable())
    throw Failure(fmt::format("{}: {}", what, describe(state)));
}

}  // namespace harness
