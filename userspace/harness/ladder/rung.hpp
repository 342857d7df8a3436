// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/session.hpp"
#include "ladder/evidence.hpp"

namespace harness {

/// A rung that cannot be tried on this device; what() says why.
class RungSkipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the process of a rung shares with the ladder: trivially copyable, in shared memory.
struct RungBoard {
  enum class Outcome : uint8_t { running, passed, failed, skipped };

  Outcome outcome = Outcome::running;
  char waiting_for[192] = {};
  char error[768] = {};
  Facts facts;
};

/// What a rung's function gets: the device, its deadline, and a place to say what it waits for.
class RungContext {
 public:
  RungContext(std::string node, std::chrono::nanoseconds deadline, RungBoard& board)
      : node_(std::move(node)), deadline_(deadline), board_(board) {}

  [[nodiscard]] const std::string& node() const noexcept { return node_; }
  [[nodiscard]] std::chrono::nanoseconds deadline() const noexcept { return deadline_; }
  [[nodiscard]] Facts& facts() noexcept { return board_.facts; }

  /// Opens the node and makes a VM, naming each step.
  [[nodiscard]] Session session();
  /// Names the step that begins now; shown when it does not end.
  void step(std::string_view what);

  /// What is known about a job beside its fence; any may be missing.
  struct Job {
    const panthor::Group* group = nullptr;
    const panthor::Syncobj* dependency = nullptr;  ///< binary syncobj it waits for
    const GpuBuffer* marks = nullptr;              ///< written by marked()
  };
  /// Waits for `done` until the deadline; collects the facts and throws Failure when it does not signal or
  /// the group is not usable after it.
  void await(const panthor::Syncobj& done, const Job& job, std::string_view what);
  /// The same for a point of a timeline.
  void await_point(const panthor::Syncobj& done, uint64_t point, const Job& job, std::string_view what);

 private:
  struct Wait {
    bool signalled;      ///< before the deadline
    bool signalled_now;  ///< in a look right after it
    std::chrono::nanoseconds took;
  };
  void settle(const Wait& wait, const Job& job, std::string_view what);

  std::string node_;
  std::chrono::nanoseconds deadline_;
  RungBoard& board_;
};

/// Writes a stream that marks its start and its end at the beginning of `marks`, around `body`.
[[nodiscard]] panthor::CommandStream marked(Session& session, const GpuBuffer& marks,
                                            const std::function<void(panthor::CommandStreamBuilder&)>& body);

/// One rung: one thing more than the rung below it.
struct Rung {
  std::string_view name;
  std::string_view description;  ///< what holds when it passes
  Stage stage;                   ///< where a fence stops when nothing better is known
  void (*run)(RungContext& context);
  unsigned extra_seconds = 0;        ///< it needs so much longer than the deadline of one wait
  std::string_view forbidden_log{};  ///< a kernel message with this text fails the rung; empty: none does
};

/// Rungs by the file they are in; all_rungs() is the ladder, from the ground up.
std::span<const Rung> object_rungs();
std::span<const Rung> job_rungs();
std::span<const Rung> sync_rungs();
std::span<const Rung> compute_rungs();
std::span<const Rung> recovery_rungs();
[[nodiscard]] std::vector<Rung> all_rungs();

/// The rung by that name; throws std::invalid_argument.
[[nodiscard]] const Rung& find_rung(std::span<const Rung> rungs, std::string_view name);

}  // namespace harness
