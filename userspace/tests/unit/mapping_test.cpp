// SPDX-License-Identifier: MIT
#include "panthor/mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <system_error>

#include "panthor/unique_fd.hpp"

namespace panthor {
namespace {

UniqueFd memory_file(off_t bytes) {
  UniqueFd fd(::memfd_create("mapping_test", 0));
  EXPECT_EQ(::ftruncate(fd.get(), bytes), 0);
  return fd;
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Mapping, SharesTheFileAndMoves) {
  const UniqueFd fd = memory_file(4096);
  Mapping first(fd.get(), 0, 4096, Mapping::Protection::read_write);
  first.as<uint32_t>()[1] = 42;
  const Mapping second(fd.get(), 0, 4096, Mapping::Protection::read);
  EXPECT_EQ(second.as<uint32_t>()[1], 42u);
  const Mapping moved = std::move(first);
  EXPECT_EQ(moved.bytes().size(), 4096u);
  EXPECT_TRUE(first.bytes().empty());
}

TEST(Mapping, FailureNamesTheArguments) {
  const UniqueFd fd = memory_file(4096);
  try {
    const Mapping bad(fd.get(), 1, 4096, Mapping::Protection::read);
    FAIL() << "mapped at an unaligned offset";
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(), "mmap(offset=0x1, size=0x1000): Invalid argument");
  }
}

TEST(UniqueFd, ClosesWhatItOwnsOnce) {
  UniqueFd fd = memory_file(1);
  const int number = fd.get();
  UniqueFd other = std::move(fd);
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(number));
  other.reset();
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  UniqueFd fd = memory_file(1);
  const int number = fd.release();
  fd.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

}  // namespace
}  // namespace panthor
