// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

namespace harness {
namespace {

constexpr uint64_t kib = 1 << 10, mib = 1 << 20;

/// BO_CREATE and closing the handle. No page is allocated: nobody touches the buffer.
class Create final : public Workload {
 public:
  Create(const panthor::Device& device, uint64_t bytes) : Workload(device), bytes_(bytes) {}

  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) (void)panthor::BufferObject(session_.device(), bytes_);
  }

 private:
  uint64_t bytes_;
};

/// The whole life of a buffer, its pages included: the first bind populates it.
class Populate final : public Workload {
 public:
  Populate(const panthor::Device& device, uint64_t bytes)
      : Workload(device), bytes_(bytes), va_(session_.address_space(bytes, 2 * mib)) {}

  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      const panthor::BufferObject bo(session_.device(), bytes_);
      session_.vm().map(bo, va_, panthor::BindFlags::noexec);
      session_.vm().unmap(va_, bytes_);
    }
  }

 private:
  uint64_t bytes_;
  uint64_t va_;
};

constexpr BenchRow table[] = {
    {"bo.create_4k", "BO_CREATE of 4 KiB and closing it", 128, make_workload<Create, 4 * kib>},
    {"bo.create_2m", "BO_CREATE of 2 MiB and closing it", 128, make_workload<Create, 2 * mib>},
    {"bo.populate_2m", "BO_CREATE of 2 MiB, map (which allocates the pages), unmap, close", 4,
     make_workload<Populate, 2 * mib>},
};

}  // namespace

std::span<const BenchRow> buffer_rows() {
  return table;
}

}  // namespace harness
