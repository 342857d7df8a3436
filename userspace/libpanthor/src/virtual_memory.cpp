// SPDX-License-Identifier: MIT
#include "panthor/virtual_memory.hpp"

#include <array>

#include "ioctl.hpp"
#include "sync_ops.hpp"

namespace panthor {
namespace {

static_assert(static_cast<uint32_t>(BindFlags::readonly) == DRM_PANTHOR_VM_BIND_OP_MAP_READONLY);
static_assert(static_cast<uint32_t>(BindFlags::noexec) == DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC);
static_assert(static_cast<uint32_t>(BindFlags::uncached) == DRM_PANTHOR_VM_BIND_OP_MAP_UNCACHED);
static_assert(static_cast<uint32_t>(BindFlags::sparse) == DRM_PANTHOR_VM_BIND_OP_MAP_SPARSE);

static_assert(static_cast<uint32_t>(PlaceFlags::no_cross_4g) == DRM_PANTHOR_VM_BIND_OP_PLACE_NO_CROSS_4G);
static_assert(static_cast<uint32_t>(PlaceFlags::below_4g) == DRM_PANTHOR_VM_BIND_OP_PLACE_BELOW_4G);

constexpr unsigned type_shift = 28;
static_assert(static_cast<uint32_t>(BindOp::Kind::unmap) << type_shift == DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP);
static_assert(static_cast<uint32_t>(BindOp::Kind::sync_only) << type_shift ==
              DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY);

constexpr std::array kind_names = {"map", "unmap", "sync_only"};

drm_panthor_vm_bind_op to_uapi(const BindOp& op, const drm_panthor_obj_array& syncs) {
  drm_panthor_vm_bind_op raw{
      .flags = static_cast<uint32_t>(op.kind) << type_shift | static_cast<uint32_t>(op.flags),
      .bo_handle = op.bo_handle,
      .bo_offset = op.bo_offset,
      .va = op.va,
      .size = op.size,
      .syncs = syncs};
  if (op.placement) {
    raw.flags |= DRM_PANTHOR_VM_BIND_OP_MAP_PLACE | static_cast<uint32_t>(op.placement->flags);
    raw.va = op.placement->alignment;
  }
  return raw;
}

std::string describe(const BindOp& op) {
  if (op.placement)
    return fmt::format("place align={:#x} size={:#x} bo={} offset={:#x} flags={:#x} syncs={}",
                       op.placement->alignment, op.size, op.bo_handle, op.bo_offset,
                       static_cast<uint32_t>(op.flags) | static_cast<uint32_t>(op.placement->flags),
                       op.syncs.size());
  return fmt::format("{} va={:#x} size={:#x} bo={} offset={:#x} flags={:#x} syncs={}",
                     kind_names[static_cast<size_t>(op.kind)], op.va, op.size, op.bo_handle, op.bo_offset,
                     static_cast<uint32_t>(op.flags), op.syncs.size());
}

}  // namespace

BindOp BindOp::map(const BufferObject& bo, uint64_t va, BindFlags flags, std::vector<SyncOp> syncs) {
  return {Kind::map, flags, bo.handle(), 0, va, bo.size(), std::move(syncs), {}};
}

BindOp BindOp::place(const BufferObject& bo, Placement placement, BindFlags flags,
                     std::vector<SyncOp> syncs) {
  return {Kind::map, flags, bo.handle(), 0, 0, bo.size(), std::move(syncs), placement};
}

BindOp BindOp::map_part(const BufferObject& bo, uint64_t bo_offset, uint64_t va, uint64_t size,
                        BindFlags flags, std::vector<SyncOp> syncs) {
  return {Kind::map, flags, bo.handle(), bo_offset, va, size, std::move(syncs), {}};
}

BindOp BindOp::unmap(uint64_t va, uint64_t size, std::vector<SyncOp> syncs) {
  return {Kind::unmap, BindFlags::none, 0, 0, va, size, std::move(syncs), {}};
}

BindOp BindOp::sparse(uint64_t va, uint64_t size, std::vector<SyncOp> syncs) {
  return {Kind::map, BindFlags::sparse | BindFlags::noexec, 0, 0, va, size, std::move(syncs), {}};
}

BindOp BindOp::sync_only(std::vector<SyncOp> syncs) {
  return {Kind::sync_only, BindFlags::none, 0, 0, 0, 0, std::move(syncs), {}};
}

VirtualMemory::VirtualMemory(const Device& device, uint64_t user_va_range)
    : file_(device.file()), version_(device.version()) {
  drm_panthor_vm_create args{};
  args.user_va_range = user_va_range;
  checked_ioctl(*file_, ioctls::vm_create, &args, "user_va_range={:#x}", user_va_range);
  id_ = args.id;
  user_va_range_ = args.user_va_range;
}

VirtualMemory::VirtualMemory(const Device& device, uint64_t user_va_range, const VaHeap& heap)
    : file_(device.file()), version_(device.version()) {
  if (!device.has_va_features(VaFeatures::heap))
    throw call_error(EOPNOTSUPP, ioctls::vm_create_heap.name,
                     fmt::format("a VA heap, which the kernel behind {} lacks", device.path()));
  panthor_vm_create_heap args{};
  args.flags = DRM_PANTHOR_VM_CREATE_VA_HEAP;
  args.user_va_range = user_va_range;
  args.heap_start = heap.start;
  args.heap_size = heap.size;
  checked_ioctl(*file_, ioctls::vm_create_heap, &args,
                "user_va_range={:#x}, heap_start={:#x}, heap_size={:#x}", user_va_range, heap.start,
                heap.size);
  id_ = args.id;
  user_va_range_ = args.user_va_range;
  heap_ = VaHeap{.start = args.heap_start, .size = args.heap_size};
}

VirtualMemory::~VirtualMemory() {
  if (id_ == 0) return;
  drm_panthor_vm_destroy args{.id = id_, .pad = 0};
  // Fails only for an id this object does not own, and a destructor has nobody to tell.
  (void)try_ioctl(*file_, ioctls::vm_destroy, &args);
}

VirtualMemory::VirtualMemory(VirtualMemory&& other) noexcept
    : file_(std::move(other.file_)),
      version_(other.version_),
      id_(std::exchange(other.id_, 0)),
      user_va_range_(other.user_va_range_),
      heap_(other.heap_) {}

VirtualMemory& VirtualMemory::operator=(VirtualMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(version_, other.version_);
  std::swap(id_, other.id_);
  std::swap(user_va_range_, other.user_va_range_);
  std::swap(heap_, other.heap_);
  return *this;
}

void VirtualMemory::destroy() {
  drm_panthor_vm_destroy args{.id = id_, .pad = 0};
  checked_ioctl(*file_, ioctls::vm_destroy, &args, "vm={}", id_);
  id_ = 0;
}

void VirtualMemory::bind(std::span<const BindOp> ops) const {
  submit(ops, 0);
}

void VirtualMemory::place(std::span<BindOp> ops) const {
  submit(ops, 0, ops);
}

uint64_t VirtualMemory::place(const BufferObject& bo, Placement placement, BindFlags flags) const {
  BindOp op = BindOp::place(bo, placement, flags);
  place(std::span(&op, 1));
  return op.va;
}

void VirtualMemory::place_async(std::span<BindOp> ops) const {
  submit(ops, DRM_PANTHOR_VM_BIND_ASYNC, ops);
}

void VirtualMemory::bind_async(std::span<const BindOp> ops) const {
  submit(ops, DRM_PANTHOR_VM_BIND_ASYNC);
}

void VirtualMemory::submit(std::span<const BindOp> ops, uint32_t flags, std::span<BindOp> placed) const {
  for (const BindOp& op : ops)
    if (has(op.flags, BindFlags::sparse) && version_ < has_sparse)
      throw call_error(
          EOPNOTSUPP, ioctls::vm_bind.name,
          fmt::format("sparse needs panthor {}, this is {}", to_string(has_sparse), to_string(version_)));
  SyncOpArray syncs;
  for (const BindOp& op : ops) syncs.append(op.syncs);
  std::vector<drm_panthor_vm_bind_op> raw;
  raw.reserve(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) raw.push_back(to_uapi(ops[i], syncs.part(i)));

  drm_panthor_vm_bind args{.vm_id = id_, .flags = flags, .ops = object_array(raw)};
  const int error = try_ioctl(*file_, ioctls::vm_bind, &args);
  if (error == 0) {
    for (size_t i = 0; i < placed.size(); ++i) placed[i].va = raw[i].va;
    return;
  }

  std::string arguments = fmt::format("vm={}, ops={}", id_, ops.size());
  if ((flags & DRM_PANTHOR_VM_BIND_ASYNC) != 0) {
    arguments += ", async";
    if (ops.size() == 1) arguments += ": " + describe(ops.front());
  } else if (ops.size() == 1) {
    arguments += ": " + describe(ops.front());
  } else if (args.ops.count < ops.size()) {
    // panthor_ioctl_vm_bind_sync() puts the number of executed operations into ops.count.
    arguments += fmt::format(", failed op {}: {}", args.ops.count, describe(ops[args.ops.count]));
  }
  throw call_error(error, ioctls::vm_bind.name, arguments);
}

VmState VirtualMemory::state() const {
  drm_panthor_vm_get_state args{.vm_id = id_, .state = 0};
  checked_ioctl(*file_, ioctls::vm_get_state, &args, "vm={}", id_);
  return static_cast<VmState>(args.state);
}

}  // namespace panthor
