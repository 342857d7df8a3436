// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "panthor/bit_flags.hpp"
#include "panthor/device.hpp"
#include "panthor/mapping.hpp"

namespace panthor {

class VirtualMemory;

/// enum drm_panthor_bo_flags.
enum class BoFlags : uint32_t {
  none = 0,
  no_mmap = 1u << 0,       ///< never mapped by a CPU: mmap_offset() fails with EPERM
  wb_mmap = 1u << 1,       ///< CPU mapping is write-back cached (driver 1.7); excludes no_mmap
  discardable = 1u << 29,  ///< (VaFeatures::discardable) idle contents may be dropped, then read zero; needs
                           ///< alloc_on_fault
  alloc_on_fault =
      1u
      << 30,  ///< (VaFeatures::alloc_on_fault) memory appears when the GPU touches it; needs no_mmap and a VM
};
template <>
inline constexpr bool is_bit_flags<BoFlags> = true;

/// What BO_SYNC does to the CPU caches (enum drm_panthor_bo_sync_op_type).
enum class CacheOp : uint32_t {
  flush = 0,                 ///< before the GPU reads what the CPU wrote
  flush_and_invalidate = 1,  ///< before the CPU reads what the GPU wrote
};

/// What BO_QUERY_INFO tells about a buffer.
struct BoInfo {
  BoFlags create_flags = BoFlags::none;  ///< of BO_CREATE; none for a buffer of another driver
  bool imported = false;                 ///< a dma-buf of another driver (DRM_PANTHOR_BO_IS_IMPORTED)
};

/// Memory the GPU can be given (a GEM object). Move-only; the handle is closed when destroyed, the memory
/// lives on while it is bound to a VM, mapped or exported.
class BufferObject {
 public:
  /// Longest label in bytes, its terminator included (PANTHOR_BO_LABEL_MAXLEN).
  static constexpr size_t max_label = 4096;

  /// BO_CREATE of `bytes`, rounded up to pages by the kernel. With `exclusive_to` the buffer can only be
  /// bound to that VM and never be exported, and submits do not have to track it. EINVAL: size 0, unknown
  /// flags, no_mmap with wb_mmap, unknown VM; ENOMEM; ENOSPC: no file offsets left for that size.
  BufferObject(const Device& device, uint64_t bytes, BoFlags flags = BoFlags::none,
               const VirtualMemory* exclusive_to = nullptr);
  ~BufferObject();

  BufferObject(BufferObject&& other) noexcept;
  BufferObject& operator=(BufferObject&& other) noexcept;
  BufferObject(const BufferObject&) = delete;
  BufferObject& operator=(const BufferObject&) = delete;

  /// Opens the buffer behind the dma-buf `fd` (PRIME_FD_TO_HANDLE). A buffer this file knows already has the
  /// same handle again; it is closed with the last of its objects. EBADF: no file; EINVAL: not a dma-buf.
  [[nodiscard]] static BufferObject import_dma_buf(const Device& device, const UniqueFd& fd);

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

  /// BO_SYNC (driver 1.7) of `bytes` from `offset`, widened to cache lines by the kernel. Does nothing to
  /// memory that is not mapped cached. EINVAL: outside the buffer, or an imported buffer.
  void sync(CacheOp op, uint64_t offset, uint64_t bytes) const;
  /// BO_SYNC of all of it.
  void sync(CacheOp op) const { sync(op, 0, size_); }

  /// BO_QUERY_INFO (driver 1.7).
  [[nodiscard]] BoInfo info() const;

  /// A dma-buf of this buffer for another file, process or driver, close-on-exec (PRIME_HANDLE_TO_FD).
  /// `writable`: the dma-buf itself may be mapped for writing. EINVAL: the buffer is exclusive to a VM.
  [[nodiscard]] UniqueFd export_dma_buf(bool writable = true) const;

 private:
  BufferObject(const Device& device, uint32_t handle, uint64_t size);

  std::shared_ptr<const DrmFile> file_;
  DriverVersion version_;
  uint32_t handle_ = 0;
  uint64_t size_ = 0;
  BoFlags flags_ = BoFlags::none;
};

/// One range of BO_SYNC (struct drm_panthor_bo_sync_op).
struct BoSyncRange {
  const BufferObject* bo = nullptr;
  CacheOp op = CacheOp::flush;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// BO_SYNC (driver 1.7) of several ranges in order. When one fails the ones before it stay done.
void sync_buffers(const Device& device, std::span<const BoSyncRange> ranges);

}  // namespace panthor
