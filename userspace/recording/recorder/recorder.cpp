// SPDX-License-Identifier: MIT
#include "recorder/recorder.hpp"

#include <drm/panthor_drm.h>
#include <linux/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "calls/views.hpp"

namespace recording {
namespace {

/// Runs of one Content event together, so that no event outgrows a chunk.
constexpr size_t content_event_bytes = 1 << 20;

/// What the recorder itself maps, opens and closes comes through the program's hooks as well.
thread_local bool inside = false;

/// A poll is not worth a look at every mapping.
bool may_sleep(uint32_t request, const CallImage& image, uint64_t now_ns) {
  const auto wait = view_wait(request, image);
  return wait && wait->timeout_ns > 0 && static_cast<uint64_t>(wait->timeout_ns) > now_ns;
}

uint32_t made_id(const StructLayout& layout, IdKind kind, const CallImage& out) {
  for (const IdField& field : layout.ids)
    if (field.kind == kind && field.role == Role::makes)
      return static_cast<uint32_t>(load_field(out.argument, field.offset, 4));
  return 0;
}

}  // namespace

Recorder::Recorder(Syscalls& syscalls, RecorderOptions options, MakeWriter make_writer)
    : syscalls_(syscalls),
      options_(options),
      make_writer_(std::move(make_writer)),
      tracked_(new std::atomic<bool>[most_fds]()) {}

template <typename Work>
void Recorder::record(const Work& work) noexcept {
  if (inside) return;
  const int saved_errno = errno;
  const std::lock_guard lock(mutex_);
  inside = true;
  if (error_.empty()) {
    try {
      work();
    } catch (const std::exception& error) {
      error_ = error.what();
      writer_.reset();
      recording_fd_ = -1;
      options_.report_error(error_);
    }
  }
  inside = false;
  errno = saved_errno;
}

void Recorder::track(int fd, Descriptor descriptor) {
  if (fd < 0 || fd >= most_fds) {
    append(Note{"descriptor " + std::to_string(fd) + " is not recorded: beyond 65535"});
    return;
  }
  descriptors_[fd] = descriptor;
  if (descriptor.file != 0) ++files_[descriptor.file].descriptors;
  tracked_[static_cast<size_t>(fd)] = true;
}

void Recorder::opened(int fd, const std::string& node) noexcept {
  record([&] {
    if (!writer_) {
      writer_ = make_writer_(fd);
      recording_fd_ = writer_->fd();
    }
    const uint32_t file = ++files_so_far_;
    append(FileOpened{.file = file, .node = node});
    track(fd, {.file = file});
  });
}

void Recorder::duplicated(int from, int to) noexcept {
  record([&] {
    const auto original = descriptors_.find(from);
    if (original == descriptors_.end()) return;
    const Descriptor descriptor = original->second;
    if (descriptor.file == 0) append(FdDuplicated{.from = from, .to = to});
    track(to, descriptor);
  });
}

void Recorder::closing(int fd) noexcept {
  record([&] {
    const auto found = descriptors_.find(fd);
    if (found == descriptors_.end()) return;
    const uint32_t file = found->second.file;
    descriptors_.erase(found);
    tracked_[static_cast<size_t>(fd)] = false;
    if (file == 0) {
      append(FdClosed{.fd = fd});
      return;
    }
    // Mappings outlive the file, but nothing more can be submitted that would read them.
    if (--files_[file].descriptors != 0) return;
    append(FileClosed{.file = file});
    files_.erase(file);
    std::erase_if(mappings_, [&](const auto& entry) { return entry.second.file == file; });
    writer_->flush();
  });
}

int Recorder::ioctl(int fd, unsigned long request_word, void* argument) noexcept {
  const auto request = static_cast<uint32_t>(request_word);
  const CallLayout* layout = find_call(request);
  const auto address = reinterpret_cast<uint64_t>(argument);
  const CallClass call_class = layout != nullptr ? layout->call_class : CallClass::plain;
  uint64_t call = 0;
  uint32_t file = 0;
  bool sleeps = false;
  CallImage inputs;
  record([&] {
    const auto found = descriptors_.find(fd);
    if (found == descriptors_.end()) return;
    file = found->second.file;
    inputs = capture_inputs(layout, request, address, syscalls_.read_memory());
    const uint64_t now = syscalls_.now_ns();
    sleeps = call_class == CallClass::wait && may_sleep(request, inputs, now);
    const bool contents_matter = call_class == CallClass::submit || call_class == CallClass::bind ||
                                 (sleeps && files_[file].work_unseen);
    if (file != 0 && contents_matter) append_contents(file, Content::Origin::written);
    call = ++calls_;
    append(CallBegan{.call = call,
                     .time_ns = now,
                     .thread = thread_number(),
                     .file = file,
                     .fd = file == 0 ? fd : -1,
                     .request = request,
                     .image = inputs});
    // Whatever may not come back is in the file before it is tried.
    if (call_class != CallClass::plain) writer_->flush();
  });
  const int result = syscalls_.ioctl(fd, request_word, argument);
  if (call == 0) return result;
  const int error = result < 0 ? errno : 0;
  record([&] {
    const CallImage outputs = capture_outputs(layout, request, address, inputs, syscalls_.read_memory());
    append(CallEnded{.call = call, .time_ns = syscalls_.now_ns(), .error = error, .image = outputs});
    const auto state = files_.find(file);
    if (error == 0 && layout != nullptr) learn(*layout, file, outputs);
    if (state != files_.end()) {
      if (call_class == CallClass::submit && error == 0) state->second.work_unseen = true;
      if (call_class == CallClass::wait && error == 0 && std::exchange(state->second.work_unseen, false))
        append_contents(file, Content::Origin::observed);
    }
    if (call_class != CallClass::plain) writer_->flush();
  });
  return result;
}

/// Keeps what later hooks need to know of a call that succeeded.
void Recorder::learn(const CallLayout& layout, uint32_t file, const CallImage& out) {
  if (const uint32_t fd = made_id(layout.argument, IdKind::fd, out); fd != 0) track(static_cast<int>(fd), {});
  const auto found = files_.find(file);
  if (found == files_.end()) return;
  File& state = found->second;
  if (layout.request == DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET) {
    const auto handle = load_field(out.argument, offsetof(drm_panthor_bo_mmap_offset, handle), 4);
    const auto offset = load_field(out.argument, offsetof(drm_panthor_bo_mmap_offset, offset), 8);
    state.handle_at[offset] = static_cast<uint32_t>(handle);
  } else if (layout.request == DRM_IOCTL_GEM_CLOSE) {
    const auto handle = static_cast<uint32_t>(load_field(out.argument, offsetof(drm_gem_close, handle), 4));
    std::erase_if(state.handle_at, [&](const auto& entry) { return entry.second == handle; });
    state.unmapped.erase(handle);
  }
}

void Recorder::mapped(int fd, void* address, uint64_t length, int protection, uint64_t offset) noexcept {
  record([&] {
    const auto descriptor = descriptors_.find(fd);
    if (descriptor == descriptors_.end() || descriptor->second.file == 0) return;
    const uint32_t file = descriptor->second.file;
    File& state = files_[file];
    // The BO whose range of the file begins at or before the offset; register pages lie above all of them.
    Mapping mapping{.address = static_cast<const std::byte*>(address),
                    .length = length,
                    .file = file,
                    .handle = 0,
                    .number = ++mappings_so_far_,
                    .whole = false,
                    .shadow = std::nullopt};
    uint64_t inside = offset;
    const bool registers = offset >= DRM_PANTHOR_USER_MMIO_OFFSET_32BIT;
    const auto after = state.handle_at.upper_bound(offset);
    if (!registers && after != state.handle_at.begin()) {
      const auto& [start, handle] = *std::prev(after);
      mapping.handle = handle;
      inside = offset - start;
      mapping.whole = inside == 0;
    }
    append(Mapped{.mapping = mapping.number,
                  .file = file,
                  .handle = mapping.handle,
                  .offset = inside,
                  .length = length,
                  .protection = static_cast<uint32_t>(protection)});
    if (mapping.handle != 0 && (protection & PROT_READ) != 0) {
      const auto kept = state.unmapped.find(mapping.handle);
      if (length > options_.most_content_bytes) {
        append(ContentSkipped{.mapping = mapping.number, .length = length});
      } else if (mapping.whole && kept != state.unmapped.end() && kept->second.size() == length) {
        mapping.shadow.emplace(std::move(kept->second));
        state.unmapped.erase(kept);
      } else {
        mapping.shadow.emplace(length);
      }
    }
    mappings_.erase(mapping.address);
    mappings_.emplace(mapping.address, std::move(mapping));
    any_mapping_ = true;
  });
}

void Recorder::unmapping(const void* address, uint64_t length) noexcept {
  if (!any_mapping_.load(std::memory_order_relaxed)) return;
  record([&] {
    const auto* begin = static_cast<const std::byte*>(address);
    const auto* end = begin + length;
    auto at = mappings_.upper_bound(begin);
    if (at != mappings_.begin() && std::prev(at)->first + std::prev(at)->second.length > begin) --at;
    while (at != mappings_.end() && at->first < end) {
      Mapping& mapping = at->second;
      append_contents(mapping, Content::Origin::written);
      append(Unmapped{.mapping = mapping.number});
      if (const auto file = files_.find(mapping.file);
          file != files_.end() && mapping.whole && mapping.shadow)
        file->second.unmapped.insert_or_assign(mapping.handle, std::move(*mapping.shadow));
      at = mappings_.erase(at);
    }
    any_mapping_ = !mappings_.empty();
  });
}

void Recorder::append_contents(uint32_t file, Content::Origin origin) {
  for (auto& [address, mapping] : mappings_)
    if (mapping.file == file) append_contents(mapping, origin);
}

void Recorder::append_contents(Mapping& mapping, Content::Origin origin) {
  if (!mapping.shadow) return;
  Content content{.mapping = mapping.number, .origin = origin, .runs = {}};
  size_t bytes = 0;
  for (Run& run : mapping.shadow->differences(mapping.address, origin == Content::Origin::written)) {
    // A long run is cut, so that no event outgrows a chunk.
    for (size_t at = 0; at < run.bytes.size(); at += content_event_bytes) {
      const size_t count = std::min(content_event_bytes, run.bytes.size() - at);
      const auto from = run.bytes.begin() + static_cast<ptrdiff_t>(at);
      content.runs.push_back(
          {.offset = run.offset + at, .bytes = {from, from + static_cast<ptrdiff_t>(count)}});
      bytes += count + sizeof(Run);
      if (bytes < content_event_bytes) continue;
      append(std::exchange(content, {.mapping = mapping.number, .origin = origin, .runs = {}}));
      bytes = 0;
    }
  }
  if (!content.runs.empty()) append(content);
}

uint32_t Recorder::thread_number() {
  const auto [entry, added] = threads_.try_emplace(syscalls_.thread_id(), threads_.size() + 1);
  return entry->second;
}

void Recorder::flush(bool ended) noexcept {
  record([&] {
    if (!writer_) return;
    if (ended) append(Ended{.time_ns = syscalls_.now_ns()});
    writer_->flush();
  });
}

}  // namespace recording
