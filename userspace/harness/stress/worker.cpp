// SPDX-License-Identifier: MIT
#include "stress/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace harness {
namespace {

using namespace std::chrono_literals;

constexpr auto last_patience = 1s;

void set_error(RungBoard& board, std::string_view text) {
  board.error[text.copy(board.error, sizeof(board.error) - 1)] = 0;
}

[[noreturn]] void child(const WorkerPlan& plan, const std::string& node, std::chrono::nanoseconds deadline,
                        WorkerBoard& board) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    RungContext rung(node, deadline, board.rung);
    PartContext context(rung, board, plan);
    plan.part->run(context);
    set_error(board.rung, "its work came to an end");
  } catch (const std::system_error& error) {
    board.rung.facts.error = error.code().value();
    set_error(board.rung, error.what());
  } catch (const std::exception& error) {
    set_error(board.rung, error.what());
  }
  board.rung.outcome = RungBoard::Outcome::failed;
  ::_exit(1);
}

}  // namespace

StressWorker::StressWorker(const WorkerPlan& plan, const std::string& node, std::chrono::nanoseconds deadline)
    : plan_(plan), pid_(::fork()) {
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) child(plan_, node, deadline, board_.get());
}

StressWorker::~StressWorker() {
  if (pid_ > 0) (void)kill(last_patience);
}

StressWorker::StressWorker(StressWorker&& other) noexcept
    : plan_(other.plan_), board_(std::move(other.board_)), pid_(std::exchange(other.pid_, -1)) {}

StressWorker& StressWorker::operator=(StressWorker&& other) noexcept {
  std::swap(plan_, other.plan_);
  std::swap(board_, other.board_);
  std::swap(pid_, other.pid_);
  return *this;
}

bool StressWorker::ended() {
  if (pid_ > 0 && reap(pid_, 0ns)) pid_ = -1;
  return pid_ < 0;
}

bool StressWorker::kill(std::chrono::nanoseconds patience) {
  if (ended()) return true;
  ::kill(pid_, SIGKILL);
  if (!reap(pid_, patience)) return false;
  pid_ = -1;
  return true;
}

RungResult StressWorker::describe(const std::string& error) const {
  RungResult result;
  result.name = plan_.part->name;
  result.description = plan_.part->description;
  result.outcome = RungBoard::Outcome::failed;
  result.waiting_for = board_->rung.waiting_for;
  result.error = board_->rung.error[0] != 0 ? board_->rung.error : error;
  result.evidence.facts = board_->rung.facts;
  if (pid_ > 0) {
    result.evidence.stuck = true;
    result.evidence.process = snapshot_process(pid_);
  }
  return result;
}

}  // namespace harness
