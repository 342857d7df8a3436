// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "calls/call_image.hpp"
#include "format/writer.hpp"
#include "recorder/shadow.hpp"

namespace recording {

/// The calls the recorder itself makes, past its own hooks.
class Syscalls {
 public:
  virtual ~Syscalls() = default;
  /// As ioctl(2): -1 and errno, or the result.
  virtual int ioctl(int fd, unsigned long request, void* argument) = 0;
  virtual uint64_t now_ns() = 0;
  virtual uint32_t thread_id() = 0;
  [[nodiscard]] virtual ReadMemory read_memory() = 0;
};

struct RecorderOptions {
  /// Mappings larger than this are recorded without their contents.
  uint64_t most_content_bytes = 64ull << 20;
  /// Told once, when the recording ends early (no space, no memory).
  std::function<void(const std::string& why)> report_error = [](const std::string&) {};
};

/// Turns what a program does with its panthor nodes into events. Told by hooks what happens; each may be
/// called by any thread at any time. Never throws and never changes what the program sees: when the recording
/// cannot be written any more, report_error() is told and the rest goes unrecorded.
class Recorder {
 public:
  /// `make_writer` is called when the first node is opened.
  using MakeWriter = std::function<std::unique_ptr<Writer>(int drm_fd)>;
  Recorder(Syscalls& syscalls, RecorderOptions options, MakeWriter make_writer);

  /// Is `fd` one the recorder has to hear about? Cheap, for every close() and ioctl() of the program.
  [[nodiscard]] bool tracks(int fd) const noexcept {
    return fd >= 0 && fd < most_fds && tracked_[static_cast<size_t>(fd)].load(std::memory_order_relaxed);
  }

  void opened(int fd, const std::string& node) noexcept;
  void duplicated(int from, int to) noexcept;
  /// Before the descriptor is closed.
  void closing(int fd) noexcept;
  /// Issues and records the ioctl. Returns what ioctl(2) returned, with errno as it left it.
  int ioctl(int fd, unsigned long request, void* argument) noexcept;
  /// After a successful mmap() of a tracked fd.
  void mapped(int fd, void* address, uint64_t length, int protection, uint64_t offset) noexcept;
  /// Before the range is unmapped or mapped over.
  void unmapping(const void* address, uint64_t length) noexcept;

  /// Writes what is pending; with `ended`, that the program ended by itself.
  void flush(bool ended) noexcept;

  /// The descriptor of the recording, or -1.
  [[nodiscard]] int recording_fd() const noexcept { return recording_fd_; }

  /// Around fork(): nobody else is inside.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  static constexpr int most_fds = 1 << 16;

  /// What a descriptor is: of a DRM file, or (file 0) a dma-buf or sync_file that came out of one.
  struct Descriptor {
    uint32_t file = 0;
  };
  struct File {
    unsigned descriptors = 0;
    std::map<uint64_t, uint32_t> handle_at;  ///< BO_MMAP_OFFSET's answers
    std::map<uint32_t, Shadow> unmapped;     ///< of BOs that are not mapped just now
    bool work_unseen = false;                ///< submits since contents were last observed
  };
  struct Mapping {
    const std::byte* address;
    uint64_t length;
    uint32_t file;
    uint32_t handle;
    uint32_t number;
    bool whole;                    ///< of the BO, so that its shadow can be kept for the next mapping
    std::optional<Shadow> shadow;  ///< none: contents are not recorded
  };

  template <typename Work>
  void record(const Work& work) noexcept;  ///< work() under the mutex; what it throws ends the recording
  void track(int fd, Descriptor descriptor);
  void append(const Event& event) { writer_->append(event); }
  void append_contents(uint32_t file, Content::Origin origin);
  void append_contents(Mapping& mapping, Content::Origin origin);
  uint32_t thread_number();
  void learn(const CallLayout& layout, uint32_t file, const CallImage& out);

  Syscalls& syscalls_;
  RecorderOptions options_;
  MakeWriter make_writer_;
  std::unique_ptr<std::atomic<bool>[]> tracked_;
  std::atomic<int> recording_fd_{-1};
  std::atomic<bool> any_mapping_{false};  ///< the program unmaps memory of its own all the time

  std::mutex mutex_;
  std::unique_ptr<Writer> writer_;
  std::string error_;
  std::map<int, Descriptor> descriptors_;
  std::map<uint32_t, File> files_;
  std::map<const std::byte*, Mapping> mappings_;
  std::map<uint32_t, uint32_t> threads_;
  uint64_t calls_ = 0;
  uint32_t files_so_far_ = 0;
  uint32_t mappings_so_far_ = 0;
};

}  // namespace recording
