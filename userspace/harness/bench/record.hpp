// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace harness {

/// What one run measured of one row.
struct RowSamples {
  std::string name;
  unsigned ops = 0;               ///< operations a batch
  std::vector<double> ns_per_op;  ///< one value a batch, in the order measured; > 0
  std::string skipped;            ///< why there are none
};

/// One process (in the lab: one boot) that measured its rows.
struct BenchRun {
  std::vector<RowSamples> rows;

  [[nodiscard]] const RowSamples* find(const std::string& name) const noexcept;
};

/// What `bench --json` writes: docs/measuring.md describes the file.
struct BenchRecord {
  std::string clock;    ///< "wall" or "guest-cpu": what the times are
  std::string kernel;   ///< release
  std::string driver;   ///< uAPI version of panthor
  std::string gpu;      ///< GPU_ID in hex
  std::string pairing;  ///< two records with the same one were measured in turn, run by run; may be empty
  std::vector<BenchRun> runs;

  /// Row names in the order they first appear.
  [[nodiscard]] std::vector<std::string> row_names() const;
};

/// A file that is no record: what() is one line with its path, the place in it and what would be right.
class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `where` is only for messages. Throws RecordError.
[[nodiscard]] BenchRecord parse_record(const std::string& text, const std::string& where);
[[nodiscard]] std::string format_record(const BenchRecord& record);

/// Throws RecordError, also when the file cannot be read or is larger than 64 MiB.
[[nodiscard]] BenchRecord read_record(const std::string& path);
/// Replaces the file atomically. Throws std::system_error.
void write_record(const std::string& path, const BenchRecord& record);

/// Adds the runs of `more` to `record`. Throws RecordError when they were not measured on the same kernel,
/// driver and GPU with the same clock and pairing.
void append_runs(BenchRecord& record, BenchRecord more, const std::string& where);

}  // namespace harness
