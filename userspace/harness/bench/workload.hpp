// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>

#include "jobs/session.hpp"

namespace harness {

/// A wait of a benchmark that takes longer is a hang.
inline constexpr std::chrono::seconds bench_timeout{30};

/// What one row measures: run() is timed, what it needs before and leaves behind is not. Lives as long as the
/// process measures, in a file and a VM of its own.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual void prepare(unsigned /*ops*/) {}
  /// Does the operation `ops` times.
  virtual void run(unsigned ops) = 0;
  virtual void restore(unsigned /*ops*/) {}

 protected:
  /// Opens the node of `device` anew: VMs and groups of a file are limited in number.
  explicit Workload(const panthor::Device& device)
      : session_(panthor::Device::open(device.path()), bench_timeout) {}

  Session session_;
};

/// One row of the benchmark.
struct BenchRow {
  std::string_view name;  ///< FAMILY.WHAT
  std::string_view description;
  unsigned ops;  ///< operations a batch: about a millisecond of CPU. Part of what is measured, so fixed
  std::unique_ptr<Workload> (*make)(const panthor::Device& device);
};

/// BenchRow::make for a class and its arguments.
template <typename W, auto... arguments>
std::unique_ptr<Workload> make_workload(const panthor::Device& device) {
  return std::make_unique<W>(device, arguments...);
}

[[nodiscard]] std::span<const BenchRow> query_rows();
[[nodiscard]] std::span<const BenchRow> buffer_rows();
[[nodiscard]] std::span<const BenchRow> bind_rows();
[[nodiscard]] std::span<const BenchRow> submit_rows();
[[nodiscard]] std::span<const BenchRow> address_space_rows();

/// The rows of all families whose name contains `pattern`.
[[nodiscard]] std::vector<BenchRow> bench_rows(std::string_view pattern = {});

}  // namespace harness
