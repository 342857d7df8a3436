// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mmu/mmu.hpp"

namespace vgpu::cs {

/// Endpoints a RUN_* instruction needs and the iterator it starts on.
enum class Endpoint : uint8_t { compute, fragment, tiler };

/// SYNC_* scope: system makes the firmware tell the CPU, csg only wakes the other queues of the group.
enum class SyncScope : uint8_t { system, csg };

/// Heap counters HEAP_OPERATION and FINISH_FRAGMENT move (genxml "CEU Heap Operation").
enum class HeapOperation : uint8_t {
  vertex_tiler_started = 0,
  vertex_tiler_completed = 1,
  fragment_completed = 3
};

/// A job an instruction hands to an iterator: the registers as they are, read by whoever executes it.
struct IteratorJob {
  Endpoint endpoint;
  uint64_t instruction;                 ///< the RUN_* word
  std::span<const uint32_t> registers;  ///< the CS register file at issue
  unsigned scoreboard;                  ///< entry to be signalled when the job ends
  uint64_t core_mask = 0;  ///< shader cores it may use; the machine fills it in before it plans the job
};

/// What a command stream needs from the machine around it. The interpreter knows no firmware, this knows no
/// opcode.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual Mmu::Lookup translate(uint64_t va, Access access) = 0;

  /// A SYNC_ADD or SYNC_SET is about to write: true when the write never gets to memory.
  [[nodiscard]] virtual bool loses_sync_write(SyncScope) { return false; }
  virtual void sync_updated(uint64_t va, SyncScope scope) = 0;

  /// Starts a job; the machine later calls Interpreter::job_done(scoreboard, fault). False: no endpoint is
  /// granted now (the CS blocks on "resource" and is run again when one is).
  virtual bool start(const IteratorJob& job) = 0;

  /// Starts a flush (or finds none is needed: `flush_id` is not 0 and older flushes cover it, then returns
  /// false); ends in Interpreter::deferred_done(scoreboard).
  virtual bool flush(uint32_t flush_id, unsigned scoreboard) = 0;

  virtual void heap_operation(HeapOperation operation) = 0;
  virtual void heap_set(uint64_t va) = 0;
  virtual void free_heap_chunks(uint64_t first, uint64_t last) = 0;
  /// REQ_RESOURCE bits (0 compute, 1 fragment, 2 tiler, 3 idvs). False: blocks until granted.
  virtual bool request_resources(uint32_t mask) = 0;

  [[nodiscard]] virtual uint64_t timestamp() const = 0;
  [[nodiscard]] virtual uint64_t cycle_count() const = 0;
  virtual void trace_point(std::span<const uint32_t> registers) = 0;
  /// PROGRESS_STORE, a progress increment or an ended job: the group made progress (progress timer).
  virtual void progressed() = 0;

  /// STORE_STATE "disjoint count": how often the cycle counter lost its rhythm (power or frequency changes).
  /// A machine whose counter never does keeps 0.
  [[nodiscard]] virtual uint64_t disjoint_count() const { return 0; }

  /// PROGRESS_WAIT: Context::progress of another queue of the group; nullopt when there is none (it waits for
  /// ever).
  [[nodiscard]] virtual std::optional<uint64_t> progress_of(unsigned /*queue*/) const { return std::nullopt; }

  /// PROT_REGION: asks for protected mode for the next instructions. False: the CS blocks with
  /// Context::wait_protected set (CS_STATUS_WAIT_PROTM). panthor never grants it, so that is the default.
  virtual bool protected_mode(uint32_t /*instructions*/) { return false; }
};

}  // namespace vgpu::cs
