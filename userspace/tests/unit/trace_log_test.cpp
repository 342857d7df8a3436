// SPDX-License-Identifier: MIT
#include "panthor/trace_log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace panthor {
namespace {

const std::string trace =
    "# tracer: nop\n#\n"
    "          llama-201     [000] .....     2.100000: drm_sched_job_queue: dev=fb000000.gpu, fence=61:13, "
    "ring=panthor-queue-5-1-0, job count:1, hw job count:0, client_id:5\n"
    "          llama-201     [000] .....     2.100001: drm_sched_job_add_dep: fence=61:13 depends on "
    "fence=72:3\n"
    " kworker/u4:1-14      [000] .....     2.100002: drm_sched_job_unschedulable: fence=61:13 depends on "
    "unsignalled "
    "fence=72:3\n";

const std::string ran =
    trace +
    " kworker/u4:1-14      [000] .....     2.200000: dma_fence_signaled: driver=drm_sched "
    "timeline=panthor-vm-bind "
    "context=72 seqno=3\n"
    " kworker/u4:1-14      [000] .....     2.300000: drm_sched_job_run: dev=fb000000.gpu, fence=61:13, "
    "ring=panthor-queue-5-1-0, job count:1, hw job count:0, client_id:5\n"
    " kworker/u4:2-15      [000] .....     2.300001: dma_fence_init: driver=panthor timeline=queue-fence "
    "context=9 seqno=1\n"
    " kworker/u4:1-14      [000] .....     2.300002: dma_fence_init: driver=panthor timeline=queue-fence "
    "context=9 seqno=2\n";

TEST(TraceLog, AJobThatWaitsForAnotherFence) {
  const TraceLog log = TraceLog::parse(trace);
  ASSERT_EQ(log.jobs().size(), 1u);
  const JobTrace& job = log.jobs()[0];
  EXPECT_EQ(job.fence, (FenceId{61, 13}));
  EXPECT_EQ(job.ring, "panthor-queue-5-1-0");
  EXPECT_DOUBLE_EQ(job.queued.value_or(0), 2.1);
  EXPECT_FALSE(job.run);
  EXPECT_EQ(job.dependencies, (std::set<FenceId>{{72, 3}}));
  EXPECT_EQ(job.blocked_on, (FenceId{72, 3}));
  EXPECT_FALSE(log.signalled({72, 3}));
}

TEST(TraceLog, TheDriversFenceBelongsToTheJobItsTaskRuns) {
  const TraceLog log = TraceLog::parse(ran);
  ASSERT_NE(log.job({61, 13}), nullptr);
  EXPECT_TRUE(log.signalled({72, 3}));
  EXPECT_DOUBLE_EQ(log.job({61, 13})->pushed.value_or(0), 2.300002);
  EXPECT_FALSE(log.job({61, 13})->driver_done);
}

TEST(TraceLog, TheEndOfAJob) {
  const TraceLog log = TraceLog::parse(
      ran +
      "          <idle>-0       [000] d.h..     2.400000: gpu_job_irq: fb000000.gpu: events=0x1 "
      "duration_ns=10\n"
      " kworker/u4:1-14      [000] .....     2.400001: dma_fence_signaled: driver=panthor "
      "timeline=queue-fence context=9 "
      "seqno=2\n"
      " kworker/u4:1-14      [000] .....     2.400002: drm_sched_job_done: fence=61:13 signaled\n");
  EXPECT_DOUBLE_EQ(log.job({61, 13})->driver_done.value_or(0), 2.400001);
  EXPECT_DOUBLE_EQ(log.job({61, 13})->done.value_or(0), 2.400002);
  EXPECT_EQ(log.job_interrupts(), 1u);
  EXPECT_EQ(log.job_interrupts(2.5), 0u);
}

TEST(TraceLog, SaysWhenEventsWereLost) {
  EXPECT_FALSE(TraceLog::parse(trace).lost_events());
  EXPECT_TRUE(TraceLog::parse("CPU:0 [LOST 12 EVENTS]\n" + trace).lost_events());
}

TEST(TraceLog, NonsenseAndCutLinesAreSkipped) {
  for (size_t length = 0; length < ran.size(); ++length)
    (void)TraceLog::parse(std::string_view(ran).substr(0, length));
  const TraceLog log = TraceLog::parse(
      "x [\n x] \n a-1 [000] ..... zz: drm_sched_job_run: fence=1:2\n a-1 [000] ..... 1.0: "
      "drm_sched_job_run: fence=1\n"
      " a-1 [000] ..... 1.0: dma_fence_init: driver=panthor context=q seqno=\n a-1 [000] ..... 1.0: other: "
      "fence=1:2\n");
  EXPECT_TRUE(log.jobs().empty());
  EXPECT_EQ(log.events(), 0u);
}

TEST(TraceLog, ATaskNameThatLooksLikeACpuDoesNotConfuseIt) {
  const TraceLog log =
      TraceLog::parse("  a [b]-7     [001] .....     1.5: drm_sched_job_done: fence=1:2 signaled\n");
  EXPECT_EQ(log.events(), 1u);
}

}  // namespace
}  // namespace panthor
