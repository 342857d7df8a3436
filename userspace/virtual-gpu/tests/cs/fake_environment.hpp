// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/event_log.hpp"
#include "cs/environment.hpp"
#include "cs/interpreter.hpp"
#include "panthor/isa/instructions.hpp"

namespace vgpu::cs::test {

namespace isa = ::panthor::isa;

/// Flat memory at [base, base + size) and a record of everything a stream asked for. Pages can be made to
/// stall or to abort; jobs and flushes end when the test says so, or at once.
class FakeEnvironment : public Environment {
 public:
  static constexpr uint64_t base = 0x1000'0000, size = 0x2'0000, page = 0x1000;

  struct Update {
    uint64_t va;
    SyncScope scope;
    bool operator==(const Update&) const = default;
  };
  struct Job {
    Endpoint endpoint;
    uint64_t instruction;
    unsigned scoreboard;
  };
  struct Flush {
    uint32_t id;
    unsigned scoreboard;
  };

  std::vector<std::byte> bytes = std::vector<std::byte>(size);
  std::set<uint64_t> stalled, aborted;  ///< page-aligned VAs
  uint64_t translations = 0;
  std::vector<Update> updates;
  std::vector<Job> jobs;
  std::vector<Flush> flushes;
  std::vector<HeapOperation> heap_operations;
  std::vector<uint64_t> heaps;
  std::vector<std::pair<uint64_t, uint64_t>> freed;
  std::vector<std::vector<uint32_t>> traces;
  std::map<unsigned, uint64_t> progress_of_queue;
  uint64_t progress_reports = 0;
  bool grant_jobs = true, grant_resources = true, grant_protected = false, flush_needed = true;
  uint32_t requested = 0;
  mutable uint64_t ticks = 100;
  /// When set, jobs and flushes end inside start() and flush().
  Interpreter* ends_at_once = nullptr;
  Context* context = nullptr;

  Mmu::Lookup translate(uint64_t va, Access) override {
    ++translations;
    const uint64_t page_va = va & ~(page - 1);
    if (va < base || va - base >= size || aborted.contains(page_va))
      return {AccessResult::aborted, nullptr, 0, 0};
    if (stalled.contains(page_va)) return {AccessResult::stalled, nullptr, 0, 0xc3};
    return {AccessResult::ok, bytes.data() + (va - base), page - va % page, 0};
  }
  void sync_updated(uint64_t va, SyncScope scope) override { updates.push_back({va, scope}); }
  bool start(const IteratorJob& job) override {
    if (!grant_jobs) return false;
    jobs.push_back({job.endpoint, job.instruction, job.scoreboard});
    if (ends_at_once) ends_at_once->job_done(*context, job.scoreboard, std::nullopt);
    return true;
  }
  bool flush(uint32_t id, unsigned scoreboard) override {
    if (!flush_needed && id) return false;
    flushes.push_back({id, scoreboard});
    if (ends_at_once) ends_at_once->deferred_done(*context, scoreboard);
    return true;
  }
  void heap_operation(HeapOperation operation) override { heap_operations.push_back(operation); }
  void heap_set(uint64_t va) override { heaps.push_back(va); }
  void free_heap_chunks(uint64_t first, uint64_t last) override { freed.emplace_back(first, last); }
  bool request_resources(uint32_t mask) override {
    requested = mask;
    return grant_resources;
  }
  uint64_t timestamp() const override { return ++ticks; }
  uint64_t cycle_count() const override { return 0x1000 + ++ticks; }
  uint64_t disjoint_count() const override { return 7; }
  void trace_point(std::span<const uint32_t> registers) override {
    traces.emplace_back(registers.begin(), registers.end());
  }
  void progressed() override { ++progress_reports; }
  std::optional<uint64_t> progress_of(unsigned queue) const override {
    const auto found = progress_of_queue.find(queue);
    return found == progress_of_queue.end() ? std::nullopt : std::optional(found->second);
  }
  bool protected_mode(uint32_t) override { return grant_protected; }

  template <class T>
  [[nodiscard]] T get(uint64_t va) const {
    T value;
    std::memcpy(&value, bytes.data() + (va - base), sizeof value);
    return value;
  }
  template <class T>
  void put(uint64_t va, T value) {
    std::memcpy(bytes.data() + (va - base), &value, sizeof value);
  }
};

/// A ring, called buffers and data behind one interpreter.
struct Stream {
  static constexpr uint64_t ring_va = FakeEnvironment::base;
  static constexpr uint32_t ring_size = 0x1000;
  static constexpr uint64_t code_va = FakeEnvironment::base + 0x2000;  ///< where load() puts programs
  static constexpr uint64_t other_va = FakeEnvironment::base + 0x4000;
  static constexpr uint64_t data_va = FakeEnvironment::base + 0x8000;

  FakeEnvironment environment;
  VirtualClock clock;
  EventLog log{clock};
  Interpreter interpreter{environment, log};
  Context context;
  Ring ring{ring_va, ring_size, 0};

  void write(uint64_t va, std::span<const uint64_t> words) {
    for (const uint64_t word : words) {
      environment.put(va, word);
      va += 8;
    }
  }
  void push(std::vector<uint64_t> words) {
    for (const uint64_t word : words) {
      environment.put(ring_va + ring.insert % ring_size, word);
      ring.insert += 8;
    }
  }
  /// Puts `words` into a buffer and a CALL of it (through d88/r90) into the ring.
  void load(const std::vector<uint64_t>& words, uint64_t va = code_va) {
    write(va, words);
    push({isa::move48(88, va), isa::move32(90, static_cast<uint32_t>(words.size() * 8)), isa::call(88, 90)});
  }
  RunResult run(uint64_t budget = 10'000) { return interpreter.run(context, ring, budget); }
  /// Runs that must drain the ring; a CS_FAULT ends a run early.
  bool drained(uint64_t budget = 10'000) {
    for (uint64_t used = 0; used < budget;) {
      const RunResult result = run(budget - used);
      if (result.state != RunState::more) return result.state == RunState::empty;
      used += result.executed;
    }
    return false;
  }
  void end_job(std::optional<Exception> fault = std::nullopt) {
    const unsigned entry = environment.jobs.front().scoreboard;
    environment.jobs.erase(environment.jobs.begin());
    interpreter.job_done(context, entry, fault);
  }
  void end_flush() {
    const unsigned entry = environment.flushes.front().scoreboard;
    environment.flushes.erase(environment.flushes.begin());
    interpreter.deferred_done(context, entry);
  }
  /// Type of the oldest exception, 0 when there is none; the rest of it in `last`.
  uint32_t exception() {
    last = interpreter.take_exception().value_or(Exception{});
    return last.status & 0xff;
  }
  Exception last{};
};

}  // namespace vgpu::cs::test
