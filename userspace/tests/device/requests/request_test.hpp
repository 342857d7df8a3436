// SPDX-License-Identifier: MIT
#pragma once

#include <drm/panthor_drm.h>
#include <xf86drm.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "device_test.hpp"

namespace panthor::test {

/// Issues an ioctl as it is, bypassing libpanthor. Returns 0 or the errno.
template <typename Args>
[[nodiscard]] int raw_ioctl(const Device& device, unsigned long request, Args& args) {
  return drmIoctl(device.fd(), request, &args) == 0 ? 0 : errno;
}

/// A handle no object of any kind has in these tests.
inline constexpr uint32_t unknown_handle = 0xffff;

/// Address nothing is mapped at: the kernel never lets a process map its first page.
inline constexpr uint64_t bad_pointer = 8;

/// What a request may name: objects of the test's file, made when first asked for, and handles that are valid
/// in another file only.
class World {
 public:
  explicit World(const Session& session) : session_(session) {}

  [[nodiscard]] const Device& device() const { return session_.device(); }
  [[nodiscard]] const VirtualMemory& vm() const { return session_.vm(); }
  /// 4 pages.
  [[nodiscard]] const BufferObject& bo();
  /// One queue.
  [[nodiscard]] const Group& group();
  /// A second VM of the same file.
  [[nodiscard]] const VirtualMemory& second_vm();
  [[nodiscard]] const TilerHeap& heap();
  /// A binary one with a signalled fence.
  [[nodiscard]] const Syncobj& signaled();
  /// Without a fence.
  [[nodiscard]] const Syncobj& empty();
  /// A timeline that has reached point 10.
  [[nodiscard]] const Syncobj& timeline();
  /// 4 pages that are never mapped by a CPU.
  [[nodiscard]] const BufferObject& no_mmap_bo();
  /// One page that belongs to vm(), or to second_vm().
  [[nodiscard]] const BufferObject& exclusive_bo(const VirtualMemory& vm);

  // Handles of another open file, which this file does not have.
  [[nodiscard]] uint32_t foreign_vm();
  [[nodiscard]] uint32_t foreign_bo();
  [[nodiscard]] uint32_t foreign_group();
  [[nodiscard]] uint32_t foreign_syncobj();
  [[nodiscard]] uint32_t foreign_heap();

 private:
  [[nodiscard]] const Device& other();

  const Session& session_;
  std::optional<VirtualMemory> second_vm_;
  std::optional<BufferObject> bo_, no_mmap_bo_, exclusive_bo_;
  std::optional<Group> group_;
  std::optional<TilerHeap> heap_;
  std::optional<Syncobj> signaled_, empty_, timeline_;
  std::optional<Device> other_;
  std::vector<VirtualMemory> foreign_vms_;
  std::vector<BufferObject> foreign_bos_;
  std::vector<Group> foreign_groups_;
  std::vector<Syncobj> foreign_syncobjs_;
  std::optional<TilerHeap> foreign_heap_;
};

/// A row: the valid Request, changed by `change`, must return `expected`.
///
/// A Request is constructible from a World as something the kernel accepts, and has `int issue(World&)`.
template <typename Request>
struct Case {
  std::string name;                                ///< letters and digits
  int expected = 0;                                ///< errno; 0: accepted
  std::function<void(Request&, World&)> change{};  ///< none: valid as it is
  DriverVersion since{};                           ///< skipped on older drivers
};

template <typename Request>
void PrintTo(const Case<Request>& row, std::ostream* out) {
  *out << row.name;
}

template <typename Request>
std::string case_name(const ::testing::TestParamInfo<Case<Request>>& info) {
  return info.param.name;
}

/// Runs the rows of one ioctl's table, each as a test of its own.
template <typename Request>
class RequestTest : public DeviceTest, public ::testing::WithParamInterface<Case<Request>> {
 protected:
  void check() {
    const Case<Request>& row = this->GetParam();
    if (device().version() < row.since) GTEST_SKIP() << "driver older than " << to_string(row.since);
    World world(session());
    Request request(world);
    if (row.change) row.change(request, world);
    const int result = request.issue(world);
    EXPECT_EQ(result, row.expected) << "returned " << std::strerror(result) << ", expected "
                                    << std::strerror(row.expected);
    EXPECT_EQ(vm().state(), VmState::usable) << "a request must not spoil the VM";
  }
};

/// A row that a 1.7 driver does not refuse as it should, see known_bugs_test.cpp.
template <typename Request>
Case<Request> not_on_1_7(Case<Request> row) {
  row.since = {1, 8, 0};
  return row;
}

/// Tables of several parts.
template <typename Request>
std::vector<Case<Request>> operator+(std::vector<Case<Request>> table, std::vector<Case<Request>> more) {
  table.insert(table.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return table;
}

#define PANTHOR_REQUEST_TABLE(suite, Request, table)   \
  using suite = ::panthor::test::RequestTest<Request>; \
  TEST_P(suite, Returns) {                             \
    check();                                           \
  }                                                    \
  INSTANTIATE_TEST_SUITE_P(Uapi, suite, ::testing::ValuesIn(table), ::panthor::test::case_name<Request>)

}  // namespace panthor::test
