// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

namespace harness {
namespace {

/// A query that touches no hardware: what an ioctl costs at all.
class Query final : public Workload {
 public:
  using Ask = void (*)(const panthor::Device&);
  Query(const panthor::Device& device, Ask ask) : Workload(device), ask_(ask) {}

  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) ask_(session_.device());
  }

 private:
  Ask ask_;
};

void gpu_info(const panthor::Device& device) {
  (void)device.gpu_info();
}
void csif_info(const panthor::Device& device) {
  (void)device.csif_info();
}

constexpr BenchRow table[] = {
    {"query.gpu", "DEV_QUERY of the GPU's registers", 256, make_workload<Query, gpu_info>},
    {"query.csif", "DEV_QUERY of the command-stream interface", 256, make_workload<Query, csif_info>},
};

}  // namespace

std::span<const BenchRow> query_rows() {
  return table;
}

}  // namespace harness
