// SPDX-License-Identifier: MIT
#include <algorithm>

#include "bench/workload.hpp"

namespace harness {
namespace {

using panthor::BindOp;

constexpr uint64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;
constexpr uint64_t piece = 2 * mib;
constexpr unsigned ops_a_call = 256;

/// Map and unmap of 4 KiB in the middle of a VM in which much else is mapped: one buffer again and again, so
/// it takes addresses, mappings and page tables, and next to no memory.
class Crowded final : public Workload {
 public:
  Crowded(const panthor::Device& device, uint64_t mapped_bytes)
      : Workload(device),
        filler_(session_.device(), piece),
        page_(session_.device(), 4 * kib),
        start_(session_.address_space(mapped_bytes + piece, piece)),
        hole_(start_ + mapped_bytes / 2 / piece * piece) {
    std::vector<BindOp> ops;
    const uint64_t end = start_ + mapped_bytes + piece;
    for (uint64_t va = start_; va < end; va += piece) {
      if (va == hole_) continue;
      ops.push_back(BindOp::map(filler_, va, panthor::BindFlags::noexec));
      if (ops.size() == ops_a_call) flush(ops);
    }
    flush(ops);
  }

  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      session_.vm().map(page_, hole_, panthor::BindFlags::noexec);
      session_.vm().unmap(hole_, 4 * kib);
    }
  }

 private:
  void flush(std::vector<BindOp>& ops) const {
    session_.vm().bind(ops);
    ops.clear();
  }

  panthor::BufferObject filler_;
  panthor::BufferObject page_;
  uint64_t start_;
  uint64_t hole_;
};

constexpr BenchRow table[] = {
    {"va.bind_64m", "map and unmap 4 KiB with 64 MiB mapped", 128, make_workload<Crowded, 64 * mib>},
    {"va.bind_1g", "the same with 1 GiB mapped", 128, make_workload<Crowded, gib>},
    {"va.bind_16g", "the same with 16 GiB mapped", 128, make_workload<Crowded, 16 * gib>},
    {"va.bind_64g", "the same with 64 GiB mapped", 128, make_workload<Crowded, 64 * gib>},
};

}  // namespace

std::span<const BenchRow> address_space_rows() {
  return table;
}

}  // namespace harness
