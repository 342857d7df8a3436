// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// What makes the hang: faults of the virtual GPU (debugfs panthor_vgpu/control) and a plant (parameter of a
/// panthor with the series "plants"). Taken out when the object goes.
class Causes {
 public:
  /// Throws std::system_error when this machine has neither what is asked for.
  Causes(std::vector<std::string> faults, std::string plant);
  ~Causes();
  Causes(const Causes&) = delete;
  Causes& operator=(const Causes&) = delete;

  /// Throws std::runtime_error for a fault the virtual GPU does not know.
  void arm();
  void remove() noexcept;

 private:
  std::vector<std::string> faults_;
  std::string plant_;
};

/// A line "model.mark word=WORD" in the event log of the virtual GPU: where a test's own times begin. Nothing
/// on a board.
void mark_model_log(std::string_view word) noexcept;

/// Has this kernel the stall detector of the series "hang"?
[[nodiscard]] bool has_detector() noexcept;

/// Some driver left a devcoredump.
[[nodiscard]] bool has_coredump();

/// Tracepoints of the driver, the GPU scheduler and fences, on CLOCK_MONOTONIC, for as long as the object
/// lives; written to `file` at its end. An empty name, or a machine without tracefs: nothing.
class Tracing {
 public:
  explicit Tracing(std::string file);
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

 private:
  std::string file_;
};

}  // namespace harness
