// SPDX-License-Identifier: MIT
#include "transport/guest_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "transport/protocol_error.hpp"

namespace vgpu::transport {
namespace {

constexpr uint64_t page = 4096;

UniqueFd memory_file(uint64_t bytes) {
  UniqueFd fd(::memfd_create("guest", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  return fd;
}

void set(GuestMemory& memory, const std::vector<RegionInfo>& table, uint64_t file_bytes) {
  std::vector<UniqueFd> files;
  for (size_t i = 0; i < table.size(); ++i) files.push_back(memory_file(file_bytes));
  memory.set_table(table, files);
}

TEST(GuestMemory, FindsByBothAddresses) {
  GuestMemory memory;
  set(memory, {{0x100000, 4 * page, 0x7000000, page}}, 5 * page);
  const auto by_guest = memory.span(0x100010, 16);
  const auto by_user = memory.user_span(0x7000010, 16);
  ASSERT_EQ(by_guest.size(), 16U);
  EXPECT_EQ(by_guest.data(), by_user.data());
  EXPECT_TRUE(memory.span(0x100000, 4 * page).size());
  EXPECT_TRUE(memory.span(0x100000, 4 * page + 1).empty());
  EXPECT_TRUE(memory.span(0xfffff, 2).empty());
  EXPECT_TRUE(memory.span(0x100000, 0).empty());
  EXPECT_TRUE(memory.span(0x100000 + 4 * page - 1, 2).empty());
  EXPECT_TRUE(memory.span(~uint64_t{0}, 8).empty());
  EXPECT_TRUE(memory.span(0x100000, ~uint64_t{0}).empty());
}

TEST(GuestMemory, TablesThatCannotBeAreRefused) {
  const std::vector<std::vector<RegionInfo>> tables{
      {},
      {{0, 0, 0, 0}},
      {{1, page, 0, 0}},
      {{0, page + 1, 0, 0}},
      {{0, page, 0, 1}},
      {{0, 8 * page, 0, 0}},                                    // longer than its file
      {{0, page, 0, 4 * page}},                                 // behind its end
      {{~uint64_t{0} - page + 1, 2 * page, 0, 0}},              // wraps
      {{0, page, ~uint64_t{0} - 100, 0}},                       // user address wraps
      {{0, page, 0, ~uint64_t{0} - page + 1}},                  // offset wraps
      {{0, 2 * page, 0x100000, 0}, {page, page, 0x200000, 0}},  // overlap
      {{0, page, 0x100000, 0}, {0x10000, page, 0x100000, 0}},   // user addresses overlap
      std::vector<RegionInfo>(GuestMemory::max_regions + 1, RegionInfo{0, page, 0, 0}),
  };
  for (size_t i = 0; i < tables.size(); ++i) {
    GuestMemory memory;
    EXPECT_THROW(set(memory, tables[i], 4 * page), ProtocolError) << i;
  }
}

TEST(GuestMemory, ARefusedTableLeavesTheOldOne) {
  GuestMemory memory;
  set(memory, {{0, page, 0, 0}}, page);
  EXPECT_THROW(set(memory, {{0, 8 * page, 0, 0}}, page), ProtocolError);
  EXPECT_EQ(memory.span(0, page).size(), page);
}

TEST(GuestMemory, OnlyRegularFilesAreMapped) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  std::vector<UniqueFd> files;
  files.emplace_back(pipe[0]);
  const UniqueFd other(pipe[1]);
  GuestMemory memory;
  const std::vector<RegionInfo> table{{0, page, 0, 0}};
  EXPECT_THROW(memory.set_table(table, files), ProtocolError);
}

}  // namespace
}  // namespace vgpu::transport
