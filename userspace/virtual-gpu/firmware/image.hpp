// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace vgpu::fw {

/// The file is no usable firmware image; what() is one line.
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// CSF_FW_BINARY_IFACE_ENTRY_* (panthor_fw.c).
namespace section_flag {
inline constexpr uint32_t read = 1u << 0, write = 1u << 1, execute = 1u << 2, cache_mode = 3u << 3,
                          cached = 1u << 3, uncached_coherent = 2u << 3, cached_coherent = 3u << 3,
                          protected_mode = 1u << 5, shared = 1u << 30, zero = 1u << 31;
inline constexpr uint32_t known = read | write | execute | cache_mode | protected_mode | shared | zero;
}  // namespace section_flag

/// One loadable section: MCU VA [va_start, va_end), filled from file bytes [data_start, data_end).
struct Section {
  std::string name;  ///< printable, may be empty
  uint32_t flags = 0;
  uint32_t va_start = 0, va_end = 0;
  uint32_t data_start = 0, data_end = 0;

  [[nodiscard]] bool has(uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

/// A CSF firmware image (mali_csffw.bin), the header and the entries panthor_fw_load() walks.
struct Image {
  uint8_t version_major = 0, version_minor = 0;
  uint32_t version_hash = 0;  ///< CSF_IFACE_VERSION in the images of arch 10.8 to 13.8 (observed)
  uint32_t size = 0;          ///< bytes the header claims
  std::string git_sha;        ///< empty when the image does not say
  std::vector<Section> sections;
  uint32_t skipped_entries = 0;  ///< configuration, trace buffers, timeline: not needed by the model

  /// Throws ImageError. Accepts what the driver accepts and refuses what it refuses.
  static Image parse(std::span<const std::byte> file);
  /// Throws ImageError, naming the path.
  static Image load(const std::filesystem::path& path);

  /// The section with the host interface; null when there is none.
  [[nodiscard]] const Section* shared_section() const noexcept;
};

}  // namespace vgpu::fw
