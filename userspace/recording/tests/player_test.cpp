// SPDX-License-Identifier: MIT
#include "player/player.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "fake_kernel.hpp"
#include "test_recording.hpp"

namespace recording::test {
namespace {

/// Builds recordings of one file and plays them.
class PlayerTest : public testing::Test {
 protected:
  static constexpr uint32_t group = 60;
  static constexpr uint32_t syncobj = 70;
  static constexpr uint32_t bo = 80;

  PlayerTest() { file.add(FileOpened{.file = 1, .node = "renderD128"}); }

  uint64_t begin(uint32_t request, CallImage in, uint32_t thread = 1) {
    file.add(CallBegan{.call = ++calls,
                       .time_ns = calls * 1000,
                       .thread = thread,
                       .file = 1,
                       .fd = -1,
                       .request = request,
                       .image = std::move(in)});
    return calls;
  }
  void end(uint64_t call, int error, CallImage out) {
    file.add(CallEnded{.call = call, .time_ns = call * 1000 + 500, .error = error, .image = std::move(out)});
  }
  template <typename T>
  void call(uint32_t request, const T& in, const T& out, int error = 0) {
    const uint64_t number = begin(request, {bytes_of(in), {}});
    end(number, error, {bytes_of(out), {}});
  }

  void make_syncobj() {
    drm_syncobj_create out{};
    out.handle = syncobj;
    call(DRM_IOCTL_SYNCOBJ_CREATE, drm_syncobj_create{}, out);
  }
  void make_group() {
    drm_panthor_group_create out{};
    out.group_handle = group;
    call(DRM_IOCTL_PANTHOR_GROUP_CREATE, drm_panthor_group_create{}, out);
  }
  void submit() {
    drm_panthor_sync_op sync{};
    sync.flags = static_cast<uint32_t>(DRM_PANTHOR_SYNC_OP_SIGNAL);
    sync.handle = syncobj;
    drm_panthor_queue_submit queue{};
    queue.stream_size = 24;
    queue.stream_addr = 0x2000000;
    queue.syncs = DRM_PANTHOR_OBJ_ARRAY(1, &sync);
    drm_panthor_group_submit args{};
    args.group_handle = group;
    args.queue_submits = DRM_PANTHOR_OBJ_ARRAY(1, &queue);
    const uint64_t number = begin(DRM_IOCTL_PANTHOR_GROUP_SUBMIT,
                                  {bytes_of(args), {{.bytes = bytes_of(queue)}, {.bytes = bytes_of(sync)}}});
    end(number, 0, {bytes_of(args), {}});
  }
  CallImage wait_image(int64_t timeout_ns) {
    drm_syncobj_wait args{};
    args.handles = 0xdead0000;
    args.count_handles = 1;
    args.timeout_nsec = timeout_ns;
    args.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    return {bytes_of(args), {{.bytes = bytes_of(syncobj)}}};
  }
  void wait(int error, int64_t timeout_ns = 2'000'000'000) {
    const uint64_t number = begin(DRM_IOCTL_SYNCOBJ_WAIT, wait_image(timeout_ns));
    end(number, error, {wait_image(timeout_ns).argument, {}});
  }
  void map_bo(uint64_t length = 4096) {
    drm_panthor_bo_create made{};
    made.handle = bo;
    call(DRM_IOCTL_PANTHOR_BO_CREATE, drm_panthor_bo_create{}, made);
    drm_panthor_bo_mmap_offset offset{};
    offset.handle = bo;
    call(DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, offset, offset);
    file.add(Mapped{
        .mapping = 1, .file = 1, .handle = bo, .length = length, .protection = PROT_READ | PROT_WRITE});
  }
  void content(Content::Origin origin, uint64_t offset, uint64_t value) {
    file.add(Content{.mapping = 1, .origin = origin, .runs = {{.offset = offset, .bytes = bytes_of(value)}}});
  }
  /// Waits of this kernel run into their timeout.
  void never_signal() {
    kernel.answer = [](uint32_t request, void*) {
      return request == DRM_IOCTL_SYNCOBJ_WAIT || request == DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT ? ETIME : 0;
    };
  }

  Outcome play(PlayOptions options = {}) {
    const Bytes bytes = file.bytes();
    Reader reader(bytes);
    player = std::make_unique<Player>(kernel, std::move(options));
    return player->play(reader);
  }
  uint64_t memory_word(size_t index) {
    uint64_t word = 0;
    std::memcpy(&word, kernel.mappings.begin()->first + index * sizeof(word), sizeof(word));
    return word;
  }

  TestRecording file;
  FakeKernel kernel;
  std::unique_ptr<Player> player;
  uint64_t calls = 0;
};

TEST_F(PlayerTest, ObjectsGetTheNumbersOfTheReplay) {
  make_syncobj();  // 1 here
  make_group();    // 2 here
  submit();
  const Outcome outcome = play();
  EXPECT_TRUE(outcome.passed()) << testing::PrintToString(outcome.differences);
  EXPECT_EQ(outcome.submits, 1u);
  drm_panthor_group_submit args{};
  std::memcpy(&args, kernel.calls.at(2).argument.data(), sizeof(args));
  EXPECT_EQ(args.group_handle, 2u);
}

TEST_F(PlayerTest, ANumberThatNamedNothingNamesNothingNow) {
  make_syncobj();  // 1 here
  drm_syncobj_destroy bogus{.handle = 1, .pad = 0};
  call(DRM_IOCTL_SYNCOBJ_DESTROY, bogus, bogus, EINVAL);
  kernel.answer = [](uint32_t request, void*) { return request == DRM_IOCTL_SYNCOBJ_DESTROY ? EINVAL : 0; };
  EXPECT_TRUE(play().passed());
  drm_syncobj_destroy issued{};
  std::memcpy(&issued, kernel.calls.at(1).argument.data(), sizeof(issued));
  EXPECT_NE(issued.handle, 1u);
}

TEST_F(PlayerTest, AnotherErrnoIsADifference) {
  make_group();
  kernel.answer = [](uint32_t, void*) { return ENOSPC; };
  const Outcome outcome = play();
  ASSERT_EQ(outcome.difference_count, 1u);
  EXPECT_EQ(outcome.differences[0],
            "call 1 DRM_IOCTL_PANTHOR_GROUP_CREATE: No space left on device, recorded success");
}

TEST_F(PlayerTest, AnotherAnswerIsADifferenceThatNamesTheBytes) {
  drm_panthor_group_get_state recorded{};
  call(DRM_IOCTL_PANTHOR_GROUP_GET_STATE, drm_panthor_group_get_state{}, recorded);
  kernel.answer = [](uint32_t, void* argument) {
    static_cast<drm_panthor_group_get_state*>(argument)->state = DRM_PANTHOR_GROUP_STATE_TIMEDOUT;
    return 0;
  };
  const Outcome outcome = play();
  ASSERT_EQ(outcome.difference_count, 1u);
  EXPECT_EQ(outcome.differences[0],
            "call 1 DRM_IOCTL_PANTHOR_GROUP_GET_STATE: argument at byte 4: 0x1, recorded 0x0");
}

TEST_F(PlayerTest, AWaitThatWasSatisfiedAndIsNotAnyMoreIsStuckAtItsSubmit) {
  make_syncobj();
  make_group();
  submit();
  wait(0);
  make_group();
  never_signal();
  const Outcome outcome = play();
  EXPECT_EQ(outcome.stuck,
            "submit 1 (call 3): group 60, queue 0 stream 0x2000000 24 bytes: the fence that call 4 waits for "
            "did not "
            "signal in 10000 ms, unlike in the recording");
  EXPECT_EQ(outcome.calls, 4u);  // and goes no further
}

TEST_F(PlayerTest, AWaitThatNeverCameBackIsStuckAsInTheRecording) {
  make_syncobj();
  make_group();
  submit();
  begin(DRM_IOCTL_SYNCOBJ_WAIT, wait_image(INT64_MAX));
  never_signal();
  const Outcome outcome = play();
  EXPECT_NE(outcome.stuck.find("submit 1"), std::string::npos) << outcome.stuck;
  EXPECT_NE(outcome.stuck.find("as in the recording"), std::string::npos) << outcome.stuck;
}

TEST_F(PlayerTest, ATimeoutThatNothingEverMadeGoodIsStuck) {
  make_syncobj();
  make_group();
  submit();
  wait(ETIME);
  drm_syncobj_destroy gone{.handle = syncobj, .pad = 0};
  call(DRM_IOCTL_SYNCOBJ_DESTROY, gone, gone);
  never_signal();
  const Outcome outcome = play();
  EXPECT_EQ(outcome.difference_count, 0u);
  EXPECT_NE(outcome.stuck.find("never signalled, as in the recording"), std::string::npos) << outcome.stuck;
}

TEST_F(PlayerTest, ATimeoutThatALaterWaitMadeGoodIsNoHang) {
  make_syncobj();
  make_group();
  submit();
  wait(ETIME);
  wait(0);
  unsigned waits = 0;
  kernel.answer = [&](uint32_t request, void*) {
    return request == DRM_IOCTL_SYNCOBJ_WAIT && ++waits == 1 ? ETIME : 0;
  };
  const Outcome outcome = play();
  EXPECT_TRUE(outcome.passed()) << outcome.stuck;
}

TEST_F(PlayerTest, ATimeoutThatIsSatisfiedNowIsTimingAlone) {
  make_syncobj();
  make_group();
  submit();
  wait(ETIME);
  const Outcome outcome = play();
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.timing, 1u);
}

TEST_F(PlayerTest, AWaitIsIssuedWhereItCameBack) {
  make_syncobj();
  const uint64_t waits = begin(DRM_IOCTL_SYNCOBJ_WAIT, wait_image(INT64_MAX), 1);
  const uint64_t other = begin(DRM_IOCTL_SYNCOBJ_SIGNAL, {bytes_of(drm_syncobj_array{}), {}}, 2);
  end(other, 0, {bytes_of(drm_syncobj_array{}), {}});
  end(waits, 0, {wait_image(INT64_MAX).argument, {}});
  EXPECT_TRUE(play().passed());
  ASSERT_EQ(kernel.calls.size(), 3u);
  EXPECT_EQ(kernel.calls[1].request, DRM_IOCTL_SYNCOBJ_SIGNAL);
  EXPECT_EQ(kernel.calls[2].request, DRM_IOCTL_SYNCOBJ_WAIT);
}

TEST_F(PlayerTest, InterruptedCallsAreNotIssuedTwice) {
  make_syncobj();
  wait(EINTR);
  wait(0);
  EXPECT_TRUE(play().passed());
  EXPECT_EQ(kernel.calls.size(), 2u);
}

TEST_F(PlayerTest, ContentsAreBackBeforeTheSubmit) {
  make_syncobj();
  make_group();
  map_bo();
  content(Content::Origin::written, 16, 0x1234);
  submit();
  uint64_t seen = 0;
  kernel.answer = [&](uint32_t request, void*) {
    if (request == DRM_IOCTL_PANTHOR_GROUP_SUBMIT) seen = memory_word(2);
    return 0;
  };
  EXPECT_EQ(play().content_bytes, 8u);
  EXPECT_EQ(seen, 0x1234u);
}

TEST_F(PlayerTest, AWordTheGpuHasMovedOnIsLeftToIt) {
  make_syncobj();
  make_group();
  map_bo();
  submit();
  content(Content::Origin::written, 0, 5);  // a counter in flight, and beside it what the program wrote
  content(Content::Origin::written, 8, 6);
  submit();
  wait(0);
  content(Content::Origin::observed, 0, 7);
  kernel.answer = [&](uint32_t request, void*) {
    if (request == DRM_IOCTL_PANTHOR_GROUP_SUBMIT) {
      const uint64_t counter = 7;
      std::memcpy(kernel.mappings.begin()->first, &counter, sizeof(counter));
    }
    return 0;
  };
  const Outcome outcome = play({.check = true});
  EXPECT_TRUE(outcome.passed()) << testing::PrintToString(outcome.differences);
  EXPECT_EQ(memory_word(0), 7u);
  EXPECT_EQ(memory_word(1), 6u);
}

TEST_F(PlayerTest, CheckNamesTheWordTheGpuWroteOtherwise) {
  make_syncobj();
  map_bo();
  wait(0);
  content(Content::Origin::observed, 24, 0xbeef);
  const Outcome outcome = play({.check = true});
  ASSERT_EQ(outcome.difference_count, 1u);
  EXPECT_EQ(outcome.differences[0], "BO 80: byte 0x18 is 0x0, recorded 0xbeef");
}

TEST_F(PlayerTest, UnknownIoctlsAreNotIssued) {
  begin(0xdeadbeef, {});
  const Outcome outcome = play();
  EXPECT_EQ(outcome.not_replayed_count, 1u);
  EXPECT_TRUE(kernel.calls.empty());
}

TEST_F(PlayerTest, ForgedContentsStayInsideTheirMapping) {
  map_bo();
  content(Content::Origin::written, 4092, ~0ull);
  content(Content::Origin::written, ~0ull - 3, ~0ull);
  content(Content::Origin::observed, 1ull << 40, ~0ull);
  EXPECT_TRUE(play({.check = true}).passed());
  for (const std::byte byte : kernel.mappings.begin()->second) ASSERT_EQ(byte, std::byte{0});
}

TEST_F(PlayerTest, RecordedSpeedKeepsTheDistances) {
  make_syncobj();
  calls = 1'000'000;  // the clock of this recording counts calls: a second later
  make_group();
  const uint64_t before = kernel.time_ns;
  play({.recorded_speed = true});
  EXPECT_GE(kernel.time_ns - before, 999'000'000u);
}

TEST_F(PlayerTest, WhatIsWholeOfACutRecordingIsPlayed) {
  make_syncobj();
  file.writer().flush();
  make_group();
  Bytes bytes = file.bytes();
  bytes.resize(bytes.size() - 3);
  Reader reader(bytes);
  Player cut(kernel, {});
  const Outcome outcome = cut.play(reader);
  EXPECT_EQ(outcome.calls, 1u);
  EXPECT_NE(outcome.damage, "");
  EXPECT_FALSE(outcome.ended);
}

TEST_F(PlayerTest, EverythingIsClosedAtTheEnd) {
  make_syncobj();
  map_bo();
  play();
  player.reset();
  EXPECT_EQ(kernel.open_files, 0);
  EXPECT_TRUE(kernel.mappings.empty());
}

}  // namespace
}  // namespace recording::test
