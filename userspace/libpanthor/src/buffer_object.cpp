// SPDX-License-Identifier: MIT
#include "panthor/buffer_object.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "gem_handles.hpp"
#include "ioctl.hpp"
#include "panthor/virtual_memory.hpp"

namespace panthor {
namespace {

static_assert(static_cast<uint32_t>(BoFlags::no_mmap) == DRM_PANTHOR_BO_NO_MMAP);
static_assert(static_cast<uint32_t>(BoFlags::wb_mmap) == DRM_PANTHOR_BO_WB_MMAP);
static_assert(static_cast<uint32_t>(BoFlags::alloc_on_fault) == DRM_PANTHOR_BO_ALLOC_ON_FAULT);
static_assert(static_cast<uint32_t>(BoFlags::discardable) == DRM_PANTHOR_BO_DISCARDABLE);
static_assert(static_cast<uint32_t>(CacheOp::flush) == DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH);
static_assert(static_cast<uint32_t>(CacheOp::flush_and_invalidate) ==
              DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE);

/// Bytes of a dma-buf, which only lseek() tells.
uint64_t dma_buf_size(int fd) {
  const off_t end = ::lseek(fd, 0, SEEK_END);
  if (end < 0) throw call_error(errno, "lseek", fmt::format("dma-buf fd={}", fd));
  (void)::lseek(fd, 0, SEEK_SET);
  return static_cast<uint64_t>(end);
}

}  // namespace

BufferObject::BufferObject(const Device& device, uint64_t bytes, BoFlags flags,
                           const VirtualMemory* exclusive_to)
    : file_(device.file()), version_(device.version()), flags_(flags) {
  if (has(flags, BoFlags::wb_mmap)) device.require(has_bo_sync, "BO_CREATE with WB_MMAP");
  drm_panthor_bo_create args{};
  args.size = bytes;
  args.flags = static_cast<uint32_t>(flags);
  args.exclusive_vm_id = exclusive_to != nullptr ? exclusive_to->id() : 0;
  handle_ = file_->gem_handles().acquire([&] {
    checked_ioctl(*file_, ioctls::bo_create, &args, "size={:#x}, flags={:#x}, exclusive_vm={}", bytes,
                  args.flags, args.exclusive_vm_id);
    return args.handle;
  });
  size_ = args.size;
}

BufferObject::BufferObject(const Device& device, uint32_t handle, uint64_t size)
    : file_(device.file()), version_(device.version()), handle_(handle), size_(size) {}

BufferObject::~BufferObject() {
  if (handle_ == 0) return;
  file_->gem_handles().release(handle_, [this] {
    drm_gem_close args{.handle = handle_, .pad = 0};
    // Fails only for a handle this object does not own, and a destructor has nobody to tell.
    (void)try_ioctl(*file_, ioctls::gem_close, &args);
  });
}

BufferObject::BufferObject(BufferObject&& other) noexcept
    : file_(std::move(other.file_)),
      version_(other.version_),
      handle_(std::exchange(other.handle_, 0)),
      size_(other.size_),
      flags_(other.flags_) {}

BufferObject& BufferObject::operator=(BufferObject&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(version_, other.version_);
  std::swap(handle_, other.handle_);
  std::swap(size_, other.size_);
  std::swap(flags_, other.flags_);
  return *this;
}

BufferObject BufferObject::import_dma_buf(const Device& device, const UniqueFd& fd) {
  const DrmFile& file = *device.file();
  const uint32_t handle = file.gem_handles().acquire([&] {
    drm_prime_handle args{.handle = 0, .flags = 0, .fd = fd.get()};
    checked_ioctl(file, ioctls::prime_fd_to_handle, &args, "fd={}", fd.get());
    return args.handle;
  });
  BufferObject bo(device, handle, 0);
  bo.size_ = dma_buf_size(fd.get());
  if (device.version() >= has_bo_sync) bo.flags_ = bo.info().create_flags;
  return bo;
}

uint64_t BufferObject::mmap_offset() const {
  drm_panthor_bo_mmap_offset args{};
  args.handle = handle_;
  checked_ioctl(*file_, ioctls::bo_mmap_offset, &args, "handle={}", handle_);
  return args.offset;
}

Mapping BufferObject::map() const {
  return {file_->fd(), mmap_offset(), size_, Mapping::Protection::read_write};
}

void BufferObject::set_label(const std::string& label) const {
  require(version_, has_bo_label, ioctls::bo_set_label);
  drm_panthor_bo_set_label args{};
  args.handle = handle_;
  args.label = reinterpret_cast<__u64>(label.c_str());
  checked_ioctl(*file_, ioctls::bo_set_label, &args, "handle={}, label={} bytes", handle_, label.size());
}

void BufferObject::sync(CacheOp op, uint64_t offset, uint64_t bytes) const {
  const BoSyncRange range{.bo = this, .op = op, .offset = offset, .bytes = bytes};
  sync_buffers(Device(file_, version_), std::span(&range, 1));
}

BoInfo BufferObject::info() const {
  require(version_, has_bo_sync, ioctls::bo_query_info);
  drm_panthor_bo_query_info args{};
  args.handle = handle_;
  checked_ioctl(*file_, ioctls::bo_query_info, &args, "handle={}", handle_);
  return {.create_flags = static_cast<BoFlags>(args.create_flags),
          .imported = (args.extra_flags & DRM_PANTHOR_BO_IS_IMPORTED) != 0};
}

UniqueFd BufferObject::export_dma_buf(bool writable) const {
  drm_prime_handle args{
      .handle = handle_, .flags = static_cast<__u32>(DRM_CLOEXEC | (writable ? DRM_RDWR : 0)), .fd = -1};
  checked_ioctl(*file_, ioctls::prime_handle_to_fd, &args, "handle={}, flags={:#x}", handle_, args.flags);
  return UniqueFd(args.fd);
}

void sync_buffers(const Device& device, std::span<const BoSyncRange> ranges) {
  require(device.version(), has_bo_sync, ioctls::bo_sync);
  std::vector<drm_panthor_bo_sync_op> raw;
  raw.reserve(ranges.size());
  for (const BoSyncRange& range : ranges)
    raw.push_back({.handle = range.bo->handle(),
                   .type = static_cast<uint32_t>(range.op),
                   .offset = range.offset,
                   .size = range.bytes});
  drm_panthor_bo_sync args{.ops = object_array(raw)};
  const int error = try_ioctl(*device.file(), ioctls::bo_sync, &args);
  if (error == 0) return;
  std::string arguments = fmt::format("ranges={}", raw.size());
  if (raw.size() == 1)
    arguments += fmt::format(": handle={} type={} offset={:#x} size={:#x}", raw[0].handle, raw[0].type,
                             raw[0].offset, raw[0].size);
  throw call_error(error, ioctls::bo_sync.name, arguments);
}

}  // namespace panthor
