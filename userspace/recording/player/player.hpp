// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "calls/call_image.hpp"
#include "format/reader.hpp"
#include "player/content.hpp"
#include "player/id_map.hpp"
#include "player/kernel.hpp"
#include "player/submit_log.hpp"

namespace recording {

struct PlayOptions {
  bool recorded_speed = false;  ///< keep the recording's distances in time; otherwise as soon as possible
  bool check = false;           ///< compare what the GPU wrote, too
  /// How long a wait that was satisfied then, or never came back, may take now.
  std::chrono::nanoseconds deadline = std::chrono::seconds(10);
  /// Told before and (with an empty text) after each ioctl; for a watchdog.
  std::function<void(const std::string& call)> in_call = [](const std::string&) {};
};

struct Outcome {
  uint64_t calls = 0;
  uint64_t submits = 0;
  uint64_t waits = 0;
  uint64_t content_bytes = 0;
  uint64_t checked_bytes = 0;  ///< compared because of `check`
  uint64_t timing = 0;         ///< calls that differ only by how far the GPU was
  uint64_t unsettled = 0;      ///< checked words that another thread may have written
  uint64_t difference_count = 0;
  std::vector<std::string> differences;  ///< the first of them
  uint64_t not_replayed_count = 0;
  std::vector<std::string> not_replayed;  ///< the first of them, and why
  std::vector<std::string> notes;         ///< the recorder's, and holes of the recording
  std::string stuck;                      ///< a fence that did not signal; empty: none
  bool not_reproduced = false;            ///< a wait that never came back in the recording was satisfied
  std::string damage;                     ///< see Reader::damage()
  bool ended = false;                     ///< the recorded program came to its end

  [[nodiscard]] bool passed() const noexcept { return stuck.empty() && difference_count == 0; }
};

/// Replays a recording on a Kernel, in one thread: each call where it began, each wait where it came back, so
/// that what another thread did meanwhile is done. Only ioctls of the table are issued.
class Player {
 public:
  Player(Kernel& kernel, PlayOptions options);
  ~Player();

  /// Once. Throws what Kernel::open_node() throws.
  Outcome play(Reader& reader);

 private:
  struct File {
    int fd = -1;
    IdMaps ids;
    std::map<uint32_t, uint64_t> mmap_offset;  ///< by recorded handle
  };
  /// Recorded waits that ran into their timeout, on jobs that may still be running.
  struct TimedOut {
    uint32_t file;
    WaitView wait;
    uint64_t submit;
  };

  void index(Reader& reader);
  void on(const FileOpened& event);
  void on(const FileClosed& event);
  void on(const CallBegan& event);
  void on(const CallEnded& event);
  void on(const Mapped& event);
  void on(const Unmapped& event);
  void on(const Content& event);
  void on(const ContentSkipped& event);
  void on(const FdClosed& event);
  void on(const FdDuplicated& event);
  void on(const Note& event);
  void on(const Ended& event);

  void run(const CallBegan& begin, const CallEnded* end);
  void translate(RebuiltCall& call, uint32_t file);
  void set_timeout(RebuiltCall& call, const CallBegan& begin, const CallEnded* end);
  int issue(int fd, const CallBegan& begin, const CallLayout& layout, RebuiltCall& call);
  void judge(const CallBegan& begin, const CallEnded* end, const CallLayout& layout, const RebuiltCall& call,
             int error);
  void judge_wait(const CallBegan& begin, const CallEnded* end, int error);
  void learn(const CallBegan& begin, const CallEnded& end, const CallLayout& layout, RebuiltCall& call);
  void finish();
  void look_again_at_timeouts();
  [[nodiscard]] bool signals_now(const TimedOut& entry);
  void unmap_all(uint32_t file);
  [[nodiscard]] uint32_t flush_id(uint32_t file) const;
  void differ(uint64_t call, std::string_view name, const std::string& how);
  void not_replayed(uint64_t call, std::string_view name, const std::string& why);
  [[nodiscard]] int target(const CallBegan& begin);

  Kernel& kernel_;
  PlayOptions options_;
  Outcome outcome_;
  std::unordered_map<uint64_t, CallEnded> ends_;
  std::set<uint32_t> threads_;
  GpuWords gpu_words_;
  ContentPlayer contents_;
  std::map<uint32_t, File> files_;
  IdMap fds_;
  std::map<uint32_t, PlayedMapping> mappings_;
  std::map<uint64_t, CallBegan> waiting_;  ///< waits whose return has not come yet
  SubmitLog submits_;
  std::vector<TimedOut> timed_out_;
  uint64_t first_recorded_ns_ = 0;
  uint64_t first_replayed_ns_ = 0;
};

}  // namespace recording
