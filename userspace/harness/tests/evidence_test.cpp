// SPDX-License-Identifier: MIT
#include "ladder/evidence.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace harness {
namespace {

Evidence hung(Facts facts) {
  facts.wait_timed_out = true;
  Evidence evidence;
  evidence.facts = facts;
  return evidence;
}

TEST(InferStage, StuckOutsideAFenceWaitIsS0) {
  Evidence evidence;
  evidence.stuck = true;
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::ioctl);
}

TEST(InferStage, StuckInAFenceWaitPastItsDeadlineIsS8) {
  Evidence evidence;
  evidence.stuck = true;
  evidence.facts.in_fence_wait = true;
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::wake_up);
}

TEST(InferStage, FenceThatSignalledBehindTheWaitIsS8) {
  EXPECT_EQ(infer_stage(hung({.signalled_late = true}), Stage::executing), Stage::wake_up);
}

TEST(InferStage, UnsignalledDependencyIsS1WhateverTheStreamDid) {
  EXPECT_EQ(infer_stage(hung({.dependency_unsignalled = true}), Stage::executing), Stage::dependency);
}

TEST(InferStage, MarksTellRunningFromFinished) {
  EXPECT_EQ(infer_stage(hung({.has_marks = true, .started = true}), Stage::queued), Stage::executing);
  EXPECT_EQ(infer_stage(hung({.has_marks = true, .started = true, .finished = true}), Stage::queued),
            Stage::completion);
}

TEST(InferStage, AFenceTheJobTimeoutHadToFindIsS7WhenTheStreamEnded) {
  Evidence evidence;
  evidence.facts = {.slow = true, .has_marks = true, .started = true, .finished = true};
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::completion);
}

TEST(InferStage, AFenceWithoutAnyRunIsS3) {
  Evidence evidence;
  evidence.facts = {.has_marks = true, .has_group = true};
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::refused);
}

TEST(InferStage, MarksDoNotMatterWhenTheFenceIsFine) {
  Evidence evidence;
  evidence.facts = {.has_marks = true, .started = true, .finished = true};
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::executing);
}

TEST(InferStage, KernelLogNamesTheStage) {
  Evidence evidence = hung({.has_marks = true});
  evidence.kernel_log = {"panthor fb000000.gpu: [drm] *ERROR* CSG 0 update request timedout"};
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::no_slot);
  evidence.kernel_log = {"panthor fb000000.gpu: [drm] *ERROR* Flush caches timeout"};
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::not_fetched);
  evidence.kernel_log = {"panthor fb000000.gpu: [drm] *ERROR* Failed to boot MCU (status=fatal)"};
  EXPECT_EQ(infer_stage(evidence, Stage::executing), Stage::refused);
}

TEST(InferStage, ACallThatFailsIsS0) {
  Evidence evidence;
  evidence.facts.error = ENOSPC;
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::ioctl);
  evidence.kernel_log = {"panthor fb000000.gpu: [drm] *ERROR* Failed to boot MCU (status=fatal)"};
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::refused);
}

TEST(InferStage, FreshProcessRefinesAStreamWithoutMarks) {
  Evidence evidence = hung({.group_timed_out = true});
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::not_fetched);
  evidence.fresh_facts = Facts{.wait_timed_out = true, .has_marks = true, .started = true, .finished = true};
  EXPECT_EQ(infer_stage(evidence, Stage::queued), Stage::completion);
}

TEST(InferStage, OtherwiseTheRungDecides) {
  EXPECT_EQ(infer_stage({}, Stage::refused), Stage::refused);
}

TEST(StageName, RunsFromS0ToS8) {
  EXPECT_EQ(stage_name(Stage::ioctl), "S0");
  EXPECT_EQ(stage_name(Stage::wake_up), "S8");
  EXPECT_FALSE(stage_meaning(Stage::wake_up).empty());
}

}  // namespace
}  // namespace harness
