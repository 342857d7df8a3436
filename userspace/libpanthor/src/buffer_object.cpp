// SPDX-License-Identifier: MIT
#include "panthor/buffer_object.hpp"

#include "ioctl.hpp"
#include "panthor/virtual_memory.hpp"

namespace panthor {

static_assert(static_cast<uint32_t>(BoFlags::no_mmap) == DRM_PANTHOR_BO_NO_MMAP);
static_assert(static_cast<uint32_t>(BoFlags::wb_mmap) == DRM_PANTHOR_BO_WB_MMAP);

BufferObject::BufferObject(const Device& device, uint64_t bytes, BoFlags flags,
                           const VirtualMemory* exclusive_to)
    : file_(device.file()), version_(device.version()), flags_(flags) {
  if (has(flags, BoFlags::wb_mmap)) device.require(has_bo_sync, "BO_CREATE with WB_MMAP");
  drm_panthor_bo_create args{};
  args.size = bytes;
  args.flags = static_cast<uint32_t>(flags);
  args.exclusive_vm_id = exclusive_to != nullptr ? exclusive_to->id() : 0;
  checked_ioctl(*file_, ioctls::bo_create, &args, "size={:#x}, flags={:#x}, exclusive_vm={}", bytes,
                args.flags, args.exclusive_vm_id);
  handle_ = args.handle;
  size_ = args.size;
}

BufferObject::~BufferObject() {
  if (handle_ == 0) return;
  drm_gem_close args{.handle = handle_, .pad = 0};
  // Fails only for a handle this object does not own, and a destructor has nobody to tell.
  (void)try_ioctl(*file_, ioctls::gem_close, &args);
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
  if (version_ < has_bo_label)
    throw call_error(
        EOPNOTSUPP, ioctls::bo_set_label.name,
        fmt::format("needs panthor {}, this is {}", to_string(has_bo_label), to_string(version_)));
  drm_panthor_bo_set_label args{};
  args.handle = handle_;
  args.label = reinterpret_cast<__u64>(label.c_str());
  checked_ioctl(*file_, ioctls::bo_set_label, &args, "handle={}, label={} bytes", handle_, label.size());
}

}  // namespace panthor
