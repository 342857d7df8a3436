// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "panthor/buffer_object.hpp"
#include "panthor/device.hpp"
#include "panthor/sync_op.hpp"

namespace panthor {

/// Attributes of a mapping (enum drm_panthor_vm_bind_op_flags without the type bits).
enum class BindFlags : uint32_t {
  none = 0,
  readonly = 1u << 0,
  noexec = 1u << 1,
  uncached = 1u << 2,
  sparse =
      1u << 3,  ///< (driver 1.8) no buffer: reads return anything, writes go nowhere useful; needs noexec
};
template <>
inline constexpr bool is_bit_flags<BindFlags> = true;

/// What a placed mapping must be like (DRM_PANTHOR_VM_BIND_OP_PLACE_*).
enum class PlaceFlags : uint32_t {
  none = 0,
  no_cross_4g = 1u << 25,  ///< crosses no multiple of 4 GiB
  below_4g = 1u << 26,     ///< ends at or below 4 GiB
};
template <>
inline constexpr bool is_bit_flags<PlaceFlags> = true;

/// Where in its heap the kernel may put a mapping.
struct Placement {
  uint64_t alignment = 0;  ///< power of two, at most VaInfo::max_placement_align; 0: the kernel chooses
  PlaceFlags flags = PlaceFlags::none;
};

/// The range in which the kernel places mappings. A heap takes no addresses: fixed mappings may lie inside.
struct VaHeap {
  static constexpr uint64_t automatic = ~0ull;

  uint64_t start = 0;         ///< page-aligned; 0: the kernel chooses
  uint64_t size = automatic;  ///< page-aligned; automatic: to the middle of the user range
};

/// One VM_BIND operation (struct drm_panthor_vm_bind_op). `va`, `size` and `bo_offset` must be multiples of
/// the page size and [va, va + size) must lie below VirtualMemory::user_va_range(); otherwise EINVAL.
struct BindOp {
  enum class Kind : uint8_t { map = 0, unmap = 1, sync_only = 2 };

  Kind kind = Kind::map;
  BindFlags flags = BindFlags::none;
  uint32_t bo_handle = 0;
  uint64_t bo_offset = 0;
  uint64_t va = 0;
  uint64_t size = 0;
  std::vector<SyncOp> syncs;           ///< asynchronous binds only
  std::optional<Placement> placement;  ///< maps only: the kernel chooses `va`, see VirtualMemory::place()

  /// Maps all of `bo` at `va`.
  [[nodiscard]] static BindOp map(const BufferObject& bo, uint64_t va, BindFlags flags = BindFlags::none,
                                  std::vector<SyncOp> syncs = {});
  /// Maps `size` bytes of `bo` from `bo_offset` at `va`.
  [[nodiscard]] static BindOp map_part(const BufferObject& bo, uint64_t bo_offset, uint64_t va, uint64_t size,
                                       BindFlags flags = BindFlags::none, std::vector<SyncOp> syncs = {});
  /// Maps all of `bo` where the kernel likes; for VirtualMemory::place().
  [[nodiscard]] static BindOp place(const BufferObject& bo, Placement placement = {},
                                    BindFlags flags = BindFlags::none, std::vector<SyncOp> syncs = {});
  /// Unmaps whatever is in [va, va + size); parts of mappings may be cut out.
  [[nodiscard]] static BindOp unmap(uint64_t va, uint64_t size, std::vector<SyncOp> syncs = {});
  /// Maps nothing over [va, va + size), so that the GPU may touch it (driver 1.8).
  [[nodiscard]] static BindOp sparse(uint64_t va, uint64_t size, std::vector<SyncOp> syncs = {});
  /// Orders `syncs` in the VM's bind queue. Asynchronous only; `syncs` must not be empty.
  [[nodiscard]] static BindOp sync_only(std::vector<SyncOp> syncs);
};

/// enum drm_panthor_vm_state. Unusable: an asynchronous bind failed; maps are refused and jobs fail. Make a
/// new VM.
enum class VmState : uint32_t { usable = 0, unusable = 1 };

/// A GPU address space (a panthor VM). Move-only; destroyed with the object, which stops groups still using
/// it. A file has at most max_per_file of them.
class VirtualMemory {
 public:
  static constexpr unsigned max_per_file = 32;  ///< PANTHOR_MAX_VMS_PER_FILE
  static constexpr uint64_t page_size =
      4096;  ///< smallest granule; the kernel rounds buffers to its own page size

  /// VM_CREATE. `user_va_range` bytes from 0 are for bind(), the rest is the kernel's; 0 lets the kernel
  /// choose. The kernel rounds its own part down to a power of two, so user_va_range() may be more than was
  /// asked. EINVAL: the range leaves the kernel less than it needs (PANTHOR_VM_MIN_KERNEL_VA_SIZE); EBUSY:
  /// max_per_file VMs exist.
  explicit VirtualMemory(const Device& device, uint64_t user_va_range = 0);
  /// The same with a heap the kernel places mappings in. EOPNOTSUPP: the kernel lacks VaFeatures::heap;
  /// EINVAL also: the heap is not page-aligned, empty, or leaves the user range.
  VirtualMemory(const Device& device, uint64_t user_va_range, const VaHeap& heap);
  ~VirtualMemory();

  VirtualMemory(VirtualMemory&& other) noexcept;
  VirtualMemory& operator=(VirtualMemory&& other) noexcept;
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  /// VM id, 1 to max_per_file.
  [[nodiscard]] uint32_t id() const noexcept { return id_; }
  /// Bytes from 0 that may be bound.
  [[nodiscard]] uint64_t user_va_range() const noexcept { return user_va_range_; }

  /// The heap as the kernel made it; nothing when the VM has none.
  [[nodiscard]] const std::optional<VaHeap>& heap() const noexcept { return heap_; }

  /// bind() of operations of which some have a placement: their `va` is set to what the kernel chose. When
  /// one fails, the ones before it are mapped and the error names it. ENOSPC: nothing in the heap fits;
  /// EINVAL: the VM has no heap, or a bad alignment.
  void place(std::span<BindOp> ops) const;
  /// Maps all of `bo` where the kernel likes and returns the address.
  [[nodiscard]] uint64_t place(const BufferObject& bo, Placement placement = {},
                               BindFlags flags = BindFlags::none) const;
  /// bind_async() with placements. The addresses are known and taken when it returns; the mappings appear in
  /// queue order.
  void place_async(std::span<BindOp> ops) const;

  /// Executes `ops` in order before it returns. They may not carry syncs. When one fails the ones before it
  /// stay done; the error names it. An operation of size 0 does nothing, not even be checked. EINVAL:
  /// alignment, range, flags, handle, VM; EOPNOTSUPP: sparse before driver 1.8; ENOMEM.
  void bind(std::span<const BindOp> ops) const;
  void bind(const BindOp& op) const { bind(std::span(&op, 1)); }

  /// Queues `ops` (VM_BIND_ASYNC): each waits for its wait syncs, runs, and signals its signal syncs. An
  /// error found later makes the VM unusable, see state(). EINVAL also when the VM is unusable.
  void bind_async(std::span<const BindOp> ops) const;
  void bind_async(const BindOp& op) const { bind_async(std::span(&op, 1)); }

  /// bind() of one map or unmap.
  void map(const BufferObject& bo, uint64_t va, BindFlags flags = BindFlags::none) const {
    bind(BindOp::map(bo, va, flags));
  }
  void unmap(uint64_t va, uint64_t size) const { bind(BindOp::unmap(va, size)); }

  /// VM_GET_STATE.
  [[nodiscard]] VmState state() const;

  /// VM_DESTROY now, with errors thrown. The destructor does the same silently.
  void destroy();

 private:
  /// `placed`: `ops` again, to receive the addresses the kernel chose.
  void submit(std::span<const BindOp> ops, uint32_t flags, std::span<BindOp> placed = {}) const;

  std::shared_ptr<const DrmFile> file_;
  DriverVersion version_;
  uint32_t id_ = 0;
  uint64_t user_va_range_ = 0;
  std::optional<VaHeap> heap_;
};

}  // namespace panthor
