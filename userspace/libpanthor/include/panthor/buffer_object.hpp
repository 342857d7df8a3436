// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "panthor/bit_flags.hpp"
#include "panthor/device.hpp"
#include "panthor/mapping.hpp"

namespace panthor {

class VirtualMemory;

/// enum drm_panthor_bo_flags.
enum class BoFlags : uint32_t {
  none = 0,
  no_mmap = 1u << 0,  ///< never mapped by a CPU: mmap_offset() fails with EPERM
  wb_mmap = 1u << 1,  ///< CPU mapping is write-back cached (driver 1.7); excludes no_mmap
};
template <>
inline constexpr bool is_bit_flags<BoFlags> = true;

/// Memory the GPU can be given (a GEM object). Move-only; the handle is closed when destroyed, the memory
/// lives on while it is bound to a VM or mapped.
class BufferObject {
 public:
  /// Longest label in bytes, its terminator included (PANTHOR_BO_LABEL_MAXLEN).
  static constexpr size_t max_label = 4096;

  /// BO_CREATE of `bytes`, rounded up to pages by the kernel. With `exclusive_to` the buffer can only be
  /// bound to that VM and never be exported, and submits do not have to track it. EINVAL: size 0, unknown
  /// flags, no_mmap with wb_mmap, unknown VM; ENOMEM.
  BufferObject(const Device& device, uint64_t bytes, BoFlags flags = BoFlags::none,
               const VirtualMemory* exclusive_to = nullptr);
  ~BufferObject();

  BufferObject(BufferObject&& other) noexcept;
  BufferObject& operator=(BufferObject&& other) noexcept;
  BufferObject(const BufferObject&) = delete;
  BufferObject& operator=(const BufferObject&) = delete;

  /// GEM handle, never 0.
  [[nodiscard]] uint32_t handle() const noexcept { return handle_; }
  /// Allocated bytes, whole pages.
  [[nodiscard]] uint64_t size() const noexcept { return size_; }
  [[nodiscard]] BoFlags flags() const noexcept { return flags_; }

  /// BO_MMAP_OFFSET: the file offset at which mmap() finds the buffer. EPERM with no_mmap.
  [[nodiscard]] uint64_t mmap_offset() const;
  /// Maps all of it read-write.
  [[nodiscard]] Mapping map() const;
  /// BO_SET_LABEL (driver 1.4): the name debugfs shows. E2BIG beyond max_label.
  void set_label(const std::string& label) const;

 private:
  std::shared_ptr<const DrmFile> file_;
  DriverVersion version_;
  uint32_t handle_ = 0;
  uint64_t size_ = 0;
  BoFlags flags_ = BoFlags::none;
};

}  // namespace panthor
