// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "board/interrupts.hpp"
#include "file_tree.hpp"
#include "ladder/kernel_log.hpp"
#include "ladder/process_snapshot.hpp"

namespace harness {
namespace {

TEST(ParseInterrupts, SumsTheCpusOfPanthorsLines) {
  const auto counts = parse_interrupts(
      "           CPU0       CPU1\n"
      " 97:         10          5     GICv3 124 Level     panthor-job\n"
      " 98:          0          0     GICv3 125 Level     panthor-mmu\n"
      " 99:          7          0     GICv3 126 Level     panthor-gpu\n"
      "100:         99         99     GICv3 127 Level     fb000000.npu\n");
  EXPECT_EQ(counts, (InterruptCounts{{"panthor-gpu", 7}, {"panthor-job", 15}, {"panthor-mmu", 0}}));
}

TEST(DescribeChange, SaysHowFarEachLineMoved) {
  EXPECT_EQ(describe_change({{"panthor-job", 15}}, {{"panthor-gpu", 2}, {"panthor-job", 18}}),
            "gpu +2, job +3");
  EXPECT_EQ(describe_change({}, {}), "");
}

TEST(ParseKmsg, IsTheFirstLineAndItsTime) {
  const KernelMessage message = parse_kmsg("3,1234,5678000,-;panthor: job timeout\n SUBSYSTEM=platform\n");
  EXPECT_EQ(message.text, "panthor: job timeout");
  EXPECT_DOUBLE_EQ(message.seconds, 5.678);
  EXPECT_EQ(parse_kmsg("no header").text, "no header");
  EXPECT_EQ(parse_kmsg("3;x").text, "x");
}

class SnapshotTest : public ::testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) const { proc_.file("42/" + name, text); }

  FileTree proc_;
};

TEST_F(SnapshotTest, ReadsWhatThereIs) {
  file("status", "Name:\tpanthor-harness\nState:\tD (disk sleep)\n");
  file("wchan", "dma_fence_default_wait");
  file("syscall", "29 0x3 0xc0106443\n");
  const ProcessSnapshot snapshot = snapshot_process(42, proc_.root());
  EXPECT_EQ(snapshot.state, 'D');
  EXPECT_EQ(snapshot.wchan, "dma_fence_default_wait");
  EXPECT_EQ(snapshot.syscall, "29 0x3 0xc0106443");
  EXPECT_EQ(snapshot.stack, "");
}

TEST_F(SnapshotTest, AProcessThatIsGoneHasNoState) {
  EXPECT_EQ(snapshot_process(43, proc_.root()).state, '?');
}

}  // namespace
}  // namespace harness
