// SPDX-License-Identifier: MIT
#include "bench/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace harness {
namespace {

constexpr int not_here[] = {ENOMEM, ENOSPC, EOPNOTSUPP, EBUSY};

/// Null with `why` set when the row cannot be measured here.
std::unique_ptr<Workload> set_up(const BenchRow& row, const panthor::Device& device, std::string& why) {
  try {
    return row.make(device);
  } catch (const std::system_error& error) {
    if (std::ranges::find(not_here, error.code().value()) == std::end(not_here)) throw;
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = "out of memory or addresses";
  }
  return nullptr;
}

double batch_ns(const BenchRow& row, Workload& workload, BenchClock& clock) {
  workload.prepare(row.ops);
  const uint64_t start = clock.now_ns();
  workload.run(row.ops);
  const uint64_t end = clock.now_ns();
  workload.restore(row.ops);
  if (end <= start)
    throw std::runtime_error(fmt::format("{}: the {} clock did not move", row.name, clock.name()));
  return static_cast<double>(end - start) / row.ops;
}

}  // namespace

BenchRun measure(const panthor::Device& device, std::span<const BenchRow> rows, BenchClock& clock,
                 const MeasureOptions& options) {
  const auto tell = [&](const std::string& what) {
    if (options.progress) options.progress(what);
  };
  BenchRun run;
  std::vector<std::unique_ptr<Workload>> workloads;
  for (const BenchRow& row : rows) {
    tell(fmt::format("setting up {}", row.name));
    RowSamples samples{.name = std::string(row.name), .ops = row.ops, .ns_per_op = {}, .skipped = {}};
    workloads.push_back(set_up(row, device, samples.skipped));
    run.rows.push_back(std::move(samples));
  }
  for (unsigned round = 0; round < options.rounds; ++round) {
    tell(fmt::format("round {} of {}", round + 1, options.rounds));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!workloads[i]) continue;
      (void)batch_ns(rows[i], *workloads[i], clock);
      for (unsigned batch = 0; batch < options.batches; ++batch)
        run.rows[i].ns_per_op.push_back(batch_ns(rows[i], *workloads[i], clock));
    }
  }
  return run;
}

}  // namespace harness
