// SPDX-License-Identifier: MIT
#include "recorder/recorder.hpp"

#include <drm/panthor_drm.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "calls/views.hpp"
#include "test_recording.hpp"

namespace recording::test {
namespace {

bool read_memory(uint64_t address, std::span<std::byte> out) noexcept {
  if (address < 4096) return false;
  std::memcpy(out.data(), reinterpret_cast<const void*>(address), out.size());
  return true;
}

class FakeSyscalls final : public Syscalls {
 public:
  std::function<int(unsigned long, void*)> answer = [](unsigned long, void*) { return 0; };
  std::atomic<uint64_t> time{1000};

  int ioctl(int, unsigned long request, void* argument) override { return answer(request, argument); }
  uint64_t now_ns() override { return ++time; }
  uint32_t thread_id() override {
    return static_cast<uint32_t>(std::hash<std::thread::id>{}(std::this_thread::get_id()));
  }
  ReadMemory read_memory() override { return test::read_memory; }
};

constexpr int node_fd = 10;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() { recorder.opened(node_fd, "renderD128"); }

  std::vector<Event> events() {
    recorder.flush(false);
    contents = file.bytes();
    Reader reader(contents);
    return read_all(reader);
  }
  template <typename T>
  std::vector<T> events_of() {
    std::vector<T> found;
    for (Event& event : events())
      if (auto* one = std::get_if<T>(&event)) found.push_back(std::move(*one));
    return found;
  }
  /// BO `handle` at file offset `offset`, mapped to `memory`.
  void map(uint32_t handle, uint64_t offset, std::span<uint64_t> memory) {
    drm_panthor_bo_mmap_offset args{.handle = handle, .pad = 0, .offset = 0};
    syscalls.answer = [&](unsigned long, void* argument) {
      static_cast<drm_panthor_bo_mmap_offset*>(argument)->offset = offset;
      return 0;
    };
    recorder.ioctl(node_fd, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &args);
    syscalls.answer = [](unsigned long, void*) { return 0; };
    recorder.mapped(node_fd, memory.data(), memory.size_bytes(), PROT_READ | PROT_WRITE, offset);
  }
  int submit() {
    drm_panthor_group_submit args{};
    args.group_handle = 1;
    return recorder.ioctl(node_fd, DRM_IOCTL_PANTHOR_GROUP_SUBMIT, &args);
  }
  int wait(int64_t timeout_ns) {
    uint32_t handle = 1;
    drm_syncobj_wait args{};
    args.handles = reinterpret_cast<uint64_t>(&handle);
    args.count_handles = 1;
    args.timeout_nsec = timeout_ns;
    return recorder.ioctl(node_fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
  }

  TestRecording file;
  FakeSyscalls syscalls;
  Bytes contents;
  Recorder recorder{syscalls, {.most_content_bytes = 1 << 20}, [this](int) { return file.release(); }};
};

TEST_F(RecorderTest, ResultAndErrnoReachTheProgramUnchanged) {
  syscalls.answer = [](unsigned long, void*) {
    errno = ENOSPC;
    return -1;
  };
  drm_panthor_vm_create args{};
  EXPECT_EQ(recorder.ioctl(node_fd, DRM_IOCTL_PANTHOR_VM_CREATE, &args), -1);
  EXPECT_EQ(errno, ENOSPC);
  const auto ends = events_of<CallEnded>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].error, ENOSPC);
}

TEST_F(RecorderTest, AWaitIsInTheFileBeforeItReturns) {
  size_t began = 0;
  syscalls.answer = [&](unsigned long, void*) {
    Bytes now = file.bytes();  // what a SIGKILL in this moment would leave
    Reader reader(now);
    for (const Event& event : read_all(reader)) began += std::holds_alternative<CallBegan>(event) ? 1 : 0;
    return 0;
  };
  wait(INT64_MAX);
  EXPECT_EQ(began, 1u);
}

TEST_F(RecorderTest, ContentsComeBeforeTheirSubmitAndOnlyWhatChanged) {
  std::vector<uint64_t> memory(1024);
  map(5, 0x10000, memory);
  memory[3] = 0xaa;
  memory[600] = 0xbb;
  memory[601] = 0xcc;
  submit();
  submit();
  memory[3] = 0xdd;
  submit();
  const auto contents_seen = events_of<Content>();
  ASSERT_EQ(contents_seen.size(), 2u);
  ASSERT_EQ(contents_seen[0].runs.size(), 2u);
  EXPECT_EQ(contents_seen[0].runs[0].offset, 3u * 8);
  EXPECT_EQ(contents_seen[0].runs[1].offset, 600u * 8);
  EXPECT_EQ(contents_seen[0].runs[1].bytes.size(), 16u);
  ASSERT_EQ(contents_seen[1].runs.size(), 1u);
  EXPECT_EQ(contents_seen[1].runs[0].bytes, bytes_of(uint64_t{0xdd}));
}

TEST_F(RecorderTest, WhatChangesDuringAWaitIsObservedAndStillWrittenLater) {
  std::vector<uint64_t> memory(512);
  map(5, 0x10000, memory);
  submit();
  syscalls.answer = [&](unsigned long, void*) {
    memory[0] = 7;  // the job
    return 0;
  };
  wait(INT64_MAX);
  submit();
  const auto seen = events_of<Content>();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].origin, Content::Origin::observed);
  EXPECT_EQ(seen[1].origin, Content::Origin::written);
}

TEST_F(RecorderTest, MappingsAboveTheLimitAreNamedAndNotRead) {
  auto* never_read = reinterpret_cast<uint64_t*>(0x100000);
  map(5, 0x10000, {never_read, (2u << 20) / sizeof(uint64_t)});
  submit();
  EXPECT_EQ(events_of<ContentSkipped>().size(), 1u);
  EXPECT_TRUE(events_of<Content>().empty());
}

TEST_F(RecorderTest, ContentsAreTakenBeforeUnmappingAndNotAgainAfterMapping) {
  std::vector<uint64_t> memory(512);
  map(5, 0x10000, memory);
  memory[1] = 1;
  recorder.unmapping(memory.data(), 4096);
  map(5, 0x10000, memory);
  submit();
  EXPECT_EQ(events_of<Content>().size(), 1u);
  EXPECT_EQ(events_of<Unmapped>().size(), 1u);
}

TEST_F(RecorderTest, OnlyTheLastDescriptorClosesTheFile) {
  recorder.duplicated(node_fd, 11);
  recorder.closing(node_fd);
  EXPECT_FALSE(recorder.tracks(node_fd));
  EXPECT_TRUE(recorder.tracks(11));
  EXPECT_TRUE(events_of<FileClosed>().empty());
  recorder.closing(11);
  EXPECT_EQ(events_of<FileClosed>().size(), 1u);
}

TEST_F(RecorderTest, WhatComesOutOfAnIoctlIsTrackedUntilItIsClosed) {
  drm_prime_handle args{};
  syscalls.answer = [](unsigned long, void* argument) {
    static_cast<drm_prime_handle*>(argument)->fd = 20;
    return 0;
  };
  recorder.ioctl(node_fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
  EXPECT_TRUE(recorder.tracks(20));
  recorder.closing(20);
  EXPECT_FALSE(recorder.tracks(20));
  EXPECT_EQ(events_of<FdClosed>().size(), 1u);
}

TEST_F(RecorderTest, ThreadsDoNotLoseOrMixCalls) {
  constexpr unsigned threads = 8;
  constexpr unsigned calls = 500;
  syscalls.answer = [](unsigned long, void* argument) {
    static_cast<drm_panthor_vm_get_state*>(argument)->state =
        static_cast<drm_panthor_vm_get_state*>(argument)->vm_id;
    return 0;
  };
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (unsigned i = 0; i < calls; ++i) {
        drm_panthor_vm_get_state args{.vm_id = t * calls + i, .state = 0};
        recorder.ioctl(node_fd, DRM_IOCTL_PANTHOR_VM_GET_STATE, &args);
      }
    });
  for (std::thread& thread : running) thread.join();
  std::map<uint64_t, uint64_t> asked;
  std::set<uint32_t> numbers;
  for (const CallBegan& begin : events_of<CallBegan>()) {
    asked[begin.call] = load_field(begin.image.argument, 0, 4);
    numbers.insert(begin.thread);
  }
  EXPECT_EQ(asked.size(), threads * calls);
  EXPECT_EQ(numbers.size(), threads);
  for (const CallEnded& end : events_of<CallEnded>())
    EXPECT_EQ(load_field(end.image.argument, 4, 4), asked.at(end.call));
}

TEST_F(RecorderTest, AFullDiskEndsTheRecordingAndNotTheProgram) {
  std::string why;
  Recorder broken(syscalls, {.report_error = [&](const std::string& text) { why = text; }},
                  [](int) -> std::unique_ptr<Writer> {
                    throw std::system_error(ENOSPC, std::generic_category(), "write");
                  });
  broken.opened(node_fd, "renderD128");
  drm_panthor_vm_create args{};
  EXPECT_EQ(broken.ioctl(node_fd, DRM_IOCTL_PANTHOR_VM_CREATE, &args), 0);
  EXPECT_NE(why.find("No space"), std::string::npos);
}

}  // namespace
}  // namespace recording::test
