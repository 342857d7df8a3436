// SPDX-License-Identifier: MIT
#include <drm/panthor_drm.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <set>

#include "calls/call_image.hpp"
#include "calls/views.hpp"

namespace recording::test {
namespace {

constexpr uint64_t unmapped = 0x1000;

/// Through the kernel, as the recorder reads: a string is read in pieces that may go past its object, and
/// pointers may lead nowhere. By a write to a file rather than process_vm_readv(), which qemu-user lacks; as
/// a bare system call, since the sanitizers would look at what pwrite() reads.
bool read_memory(uint64_t address, std::span<std::byte> out) noexcept {
  static const int file = memfd_create("own-memory", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(out.size());
  return syscall(SYS_pwrite64, file, address, out.size(), 0) == size &&
         pread(file, out.data(), out.size(), 0) == size;
}

template <typename T>
CallImage capture(uint32_t request, T& args) {
  return capture_inputs(find_call(request), request, reinterpret_cast<uint64_t>(&args), read_memory);
}

TEST(RecordedCalls, RowsAreForDifferentCalls) {
  std::set<std::pair<unsigned, unsigned>> numbers;
  for (const CallLayout& call : all_calls()) {
    EXPECT_TRUE(numbers.emplace(_IOC_TYPE(call.request), _IOC_NR(call.request)).second) << call.name;
    EXPECT_EQ(find_call(call.request), &call) << call.name;
  }
}

TEST(RecordedCalls, EveryFieldOfARowLiesInsideItsArgument) {
  for (const CallLayout& call : all_calls()) {
    const size_t size = _IOC_SIZE(call.request);
    for (const IdField& field : call.argument.ids) EXPECT_LE(field.offset + 4u, size) << call.name;
    for (const VolatileField& field : call.argument.volatiles)
      EXPECT_LE(field.offset + field.bytes, size) << call.name;
    for (const PointerField& field : call.argument.pointers) EXPECT_LE(field.address + 8u, size) << call.name;
  }
}

TEST(RecordedCalls, ShorterArgumentsOfOlderProgramsAreTheSameCall) {
  constexpr uint32_t old_wait = DRM_IOWR(0xC3, char[32]);  // without deadline_nsec
  ASSERT_NE(find_call(old_wait), nullptr);
  EXPECT_EQ(find_call(old_wait)->call_class, CallClass::wait);
}

struct Submit {
  drm_panthor_sync_op syncs[2] = {
      {.flags = 0, .handle = 4, .timeline_value = 0},
      {.flags = static_cast<uint32_t>(DRM_PANTHOR_SYNC_OP_SIGNAL) | 1, .handle = 5, .timeline_value = 9}};
  drm_panthor_queue_submit queues[2] = {};
  drm_panthor_group_submit args = {};

  Submit() {
    queues[0].stream_size = 24;
    queues[0].stream_addr = 0x2000000;
    queues[1].queue_index = 1;
    queues[1].syncs = DRM_PANTHOR_OBJ_ARRAY(2, syncs);
    args.group_handle = 3;
    args.queue_submits = DRM_PANTHOR_OBJ_ARRAY(2, queues);
  }
};

TEST(RecordedCalls, NestedArraysAreCapturedAndRebuilt) {
  Submit submit;
  const CallImage image = capture(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit.args);
  ASSERT_EQ(image.blocks.size(), 2u);  // queues, and the syncs of the second
  RebuiltCall call(*find_call(DRM_IOCTL_PANTHOR_GROUP_SUBMIT), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, image,
                   unmapped);
  const auto* args = static_cast<const drm_panthor_group_submit*>(call.argument());
  const auto* queues = reinterpret_cast<const drm_panthor_queue_submit*>(args->queue_submits.array);
  ASSERT_NE(queues, submit.queues);
  EXPECT_EQ(queues[0].stream_addr, 0x2000000u);
  const auto* syncs = reinterpret_cast<const drm_panthor_sync_op*>(queues[1].syncs.array);
  ASSERT_NE(syncs, submit.syncs);
  EXPECT_EQ(syncs[1].timeline_value, 9u);
}

TEST(RecordedCalls, ASubmitIsUnderstood) {
  Submit submit;
  const auto view =
      view_submit(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, capture(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit.args));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->group, 3u);
  ASSERT_EQ(view->jobs.size(), 2u);
  ASSERT_EQ(view->jobs[1].waits.size(), 1u);
  ASSERT_EQ(view->jobs[1].signals.size(), 1u);
  EXPECT_EQ(view->jobs[1].signals[0].handle, 5u);
  EXPECT_EQ(view->jobs[1].signals[0].point, 9u);
}

TEST(RecordedCalls, PointersToNothingFaultAgain) {
  Submit submit;
  submit.args.queue_submits.array = unmapped;
  const CallImage image = capture(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit.args);
  ASSERT_EQ(image.blocks.size(), 1u);
  EXPECT_EQ(image.blocks[0].state, Block::State::unreadable);
  RebuiltCall call(*find_call(DRM_IOCTL_PANTHOR_GROUP_SUBMIT), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, image,
                   unmapped);
  EXPECT_EQ(static_cast<const drm_panthor_group_submit*>(call.argument())->queue_submits.array, unmapped);
}

TEST(RecordedCalls, CountsBeyondReasonAreNotAllocated) {
  Submit submit;
  submit.args.queue_submits.count = ~0u;
  submit.args.queue_submits.stride = ~0u;
  const CallImage image = capture(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit.args);
  ASSERT_EQ(image.blocks.size(), 1u);
  EXPECT_EQ(image.blocks[0].state, Block::State::unreadable);
}

TEST(RecordedCalls, AnUnreadableArgumentFaultsAgain) {
  const CallImage image =
      capture_inputs(find_call(DRM_IOCTL_PANTHOR_VM_CREATE), DRM_IOCTL_PANTHOR_VM_CREATE, 0, read_memory);
  RebuiltCall call(*find_call(DRM_IOCTL_PANTHOR_VM_CREATE), DRM_IOCTL_PANTHOR_VM_CREATE, image, unmapped);
  EXPECT_EQ(reinterpret_cast<uint64_t>(call.argument()), unmapped);
}

TEST(RecordedCalls, BlocksThatTheKernelWouldReadBeyondAreRefused) {
  Submit submit;
  CallImage image = capture(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit.args);
  image.blocks[0].bytes.pop_back();
  EXPECT_THROW(RebuiltCall(*find_call(DRM_IOCTL_PANTHOR_GROUP_SUBMIT), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, image,
                           unmapped),
               FormatError);
  image.blocks.clear();
  EXPECT_THROW(RebuiltCall(*find_call(DRM_IOCTL_PANTHOR_GROUP_SUBMIT), DRM_IOCTL_PANTHOR_GROUP_SUBMIT, image,
                           unmapped),
               FormatError);
}

TEST(RecordedCalls, LabelsEndWhereTheProgramEndedThem) {
  const std::string label = "weights";
  drm_panthor_bo_set_label args{.handle = 1, .pad = 0, .label = reinterpret_cast<uint64_t>(label.c_str())};
  const CallImage image = capture(DRM_IOCTL_PANTHOR_BO_SET_LABEL, args);
  ASSERT_EQ(image.blocks.size(), 1u);
  EXPECT_EQ(image.blocks[0].bytes.size(), label.size());
  RebuiltCall call(*find_call(DRM_IOCTL_PANTHOR_BO_SET_LABEL), DRM_IOCTL_PANTHOR_BO_SET_LABEL, image,
                   unmapped);
  EXPECT_STREQ(
      reinterpret_cast<const char*>(static_cast<const drm_panthor_bo_set_label*>(call.argument())->label),
      "weights");
}

TEST(RecordedCalls, AnAnswerLongerThanTheBufferIsNotRead) {
  char name[4] = "abc";
  drm_version args{};
  args.name = name;
  args.name_len = sizeof(name);
  const CallLayout* layout = find_call(DRM_IOCTL_VERSION);
  const CallImage inputs = capture(DRM_IOCTL_VERSION, args);
  args.name_len = 4096;  // what the kernel would have liked
  const CallImage outputs =
      capture_outputs(layout, DRM_IOCTL_VERSION, reinterpret_cast<uint64_t>(&args), inputs, read_memory);
  ASSERT_EQ(outputs.blocks.size(), 1u);
  EXPECT_EQ(outputs.blocks[0].bytes.size(), sizeof(name));
}

}  // namespace
}  // namespace recording::test
