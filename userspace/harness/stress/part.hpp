// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>

#include "ladder/rung.hpp"

namespace harness {

struct WorkerPlan;

/// What a worker shares with who kills it.
struct WorkerBoard {
  RungBoard rung;
  std::atomic<uint32_t> submits{0};    ///< jobs it has submitted
  std::atomic<bool> in_flight{false};  ///< one of them has not been waited for yet
};

/// What the function of a part gets. Every call of the driver is announced with step(), which is where a
/// worker dies that is to die by its own hand.
class PartContext {
 public:
  PartContext(RungContext& rung, WorkerBoard& board, const WorkerPlan& plan);

  [[nodiscard]] const WorkerPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] RungContext& rung() noexcept { return rung_; }
  [[nodiscard]] Session session();
  /// Names the call that comes next.
  void step(std::string_view what);
  void submitted();
  void waited() { board_.in_flight = false; }
  /// 0 to `limit` - 1.
  [[nodiscard]] uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }
  /// Sleeps for a random time of at most `most`.
  void pause(std::chrono::microseconds most);
  /// One of the priorities this process may use.
  [[nodiscard]] panthor::GroupPriority priority(const panthor::Device& device);

 private:
  RungContext& rung_;
  WorkerBoard& board_;
  const WorkerPlan& plan_;
  std::mt19937 random_;
  unsigned calls_ = 0;
};

/// One kind of worker. `run` does not return: it works until it is killed, and throws when what it sees is
/// wrong.
struct Part {
  std::string_view name;
  std::string_view description;
  void (*run)(PartContext& context);
  unsigned weight = 1;    ///< how often it is chosen, against the others
  bool endless = false;   ///< its job holds a slot for good
  bool pressure = false;  ///< only under memory pressure
  bool submits = true;    ///< it gets to a job
};

[[nodiscard]] std::span<const Part> all_parts();

}  // namespace harness
