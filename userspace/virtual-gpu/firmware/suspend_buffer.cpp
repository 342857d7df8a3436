// SPDX-License-Identifier: MIT
#include "firmware/suspend_buffer.hpp"

#include <cstddef>
#include <cstring>

namespace vgpu::fw {
namespace {

constexpr size_t checked_from = offsetof(GroupImage, streams);

/// FNV-1a over 32-bit words: cheap, and any flipped bit shows.
uint32_t checksum_of(const GroupImage& image) {
  const auto bytes = std::as_bytes(std::span(&image, 1)).subspan(checked_from);
  uint32_t hash = 0x811c'9dc5;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    hash = (hash ^ word) * 0x0100'0193;
  }
  return hash;
}

bool plausible(const GroupImage& image) {
  for (const StreamImage& stream : image.streams) {
    if (stream.started > 1 || stream.job_count > jobs_per_stream || stream.context.depth > cs::call_depth ||
        stream.context.deferred_count > cs::deferred_capacity)
      return false;
    for (uint32_t i = 0; i < stream.job_count; ++i)
      if (stream.jobs[i].scoreboard >= cs::scoreboard_count || stream.jobs[i].endpoint > cs::Endpoint::tiler)
        return false;
  }
  return true;
}

}  // namespace

bool write_suspend_buffer(McuMemory& memory, uint64_t va, GroupImage& image) {
  image.magic = GroupImage::current_magic;
  image.version = GroupImage::current_version;
  image.size = sizeof(GroupImage);
  image.checksum = checksum_of(image);
  return memory.write(va, std::as_bytes(std::span(&image, 1)));
}

bool read_suspend_buffer(McuMemory& memory, uint64_t va, GroupImage& image) {
  if (!memory.read(va, std::as_writable_bytes(std::span(&image, 1)))) return false;
  return image.magic == GroupImage::current_magic && image.version == GroupImage::current_version &&
         image.size == sizeof(GroupImage) && image.checksum == checksum_of(image) && plausible(image);
}

}  // namespace vgpu::fw
