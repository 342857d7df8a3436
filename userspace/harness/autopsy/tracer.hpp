// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "autopsy/source.hpp"
#include "board/board_tree.hpp"
#include "panthor/trace_log.hpp"

namespace harness::autopsy {

struct TraceLook {
  std::optional<panthor::TraceLog> log;
  Source source;
};

/// Records the life of every job from its construction on, in a tracefs instance of its own that the
/// destructor removes: what others trace is not disturbed. Never throws; what it may not do, look() says.
class Tracer {
 public:
  explicit Tracer(const BoardTree& board);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  [[nodiscard]] TraceLook look() const;

 private:
  const BoardTree& board_;
  std::string instance_;  ///< empty: nothing is recorded
  std::string why_not_;
  unsigned missing_ = 0;  ///< events this kernel does not have
};

}  // namespace harness::autopsy
