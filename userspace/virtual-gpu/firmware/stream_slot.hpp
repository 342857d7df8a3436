// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cs/environment.hpp"
#include "cs/interpreter.hpp"
#include "firmware/endpoints.hpp"
#include "firmware/machine.hpp"
#include "firmware/suspend_buffer.hpp"

namespace vgpu::fw {

class GroupSlot;

/// One command-stream slot (CS): its interface, the stream running on it and the jobs that stream has in
/// flight.
class StreamSlot final : public cs::Environment {
 public:
  StreamSlot(Machine& machine, GroupSlot& group, unsigned index);
  ~StreamSlot() override;

  // ---- The host's side
  /// CS_REQ may have changed: start, stop, configuration, event acknowledgements.
  void evaluate_request();
  /// A doorbell of this stream: there may be more in the ring.
  void doorbell();
  [[nodiscard]] unsigned doorbell_id() const noexcept { return doorbell_id_; }

  // ---- The group's side
  /// The group is about to start on this slot: nothing of an earlier group may survive.
  void reset();
  /// Everything of the stream is gone; the interface in memory is left as it is.
  void forget();
  /// Stops fetching; jobs on endpoints are taken off them. Nothing is lost.
  void freeze();
  void thaw();
  /// True when a frozen stream has nothing in flight and could be saved.
  [[nodiscard]] bool quiescent() const noexcept { return flushes_ == 0 && !stalled_; }
  void save(StreamImage& image) const;
  void restore(const StreamImage& image);
  void go();  ///< after reset()/restore(): obey CS_REQ
  void publish_status();
  [[nodiscard]] bool started() const noexcept { return started_; }
  /// PROGRESS_STORE and the increments: what other queues of the group wait for.
  [[nodiscard]] uint64_t progress() const noexcept { return context_.progress; }
  [[nodiscard]] bool idle() const;
  [[nodiscard]] bool waits_for_sync() const noexcept;
  [[nodiscard]] bool has_jobs() const noexcept { return !jobs_.empty(); }
  /// Re-evaluates a stream waiting for a sync object or spinning on memory.
  void memory_changed();
  void group_progressed();
  void resources_changed();
  void heap_changed();
  void address_space_resumed();
  /// Reports a CS_FATAL of the firmware's own making.
  void die(uint32_t status, uint64_t info);

  // ---- cs::Environment
  Mmu::Lookup translate(uint64_t va, Access access) override;
  [[nodiscard]] bool loses_sync_write(cs::SyncScope scope) override;
  void sync_updated(uint64_t va, cs::SyncScope scope) override;
  bool start(const cs::IteratorJob& job) override;
  bool flush(uint32_t flush_id, unsigned scoreboard) override;
  void heap_operation(cs::HeapOperation operation) override;
  void heap_set(uint64_t va) override;
  void free_heap_chunks(uint64_t first, uint64_t last) override;
  bool request_resources(uint32_t mask) override;
  [[nodiscard]] uint64_t timestamp() const override;
  [[nodiscard]] uint64_t cycle_count() const override;
  void trace_point(std::span<const uint32_t> registers) override;
  void progressed() override;
  [[nodiscard]] std::optional<uint64_t> progress_of(unsigned queue) const override;

 private:
  enum class Phase : uint8_t { ready, empty, blocked, spinning, dead };
  enum class JobPhase : uint8_t { unplanned, needs_heap, running };
  struct Job {
    uint64_t id;
    SavedJob saved;
    JobPhase phase;
    JobPlan plan;
    EndpointPool::Id endpoint = 0;
  };

  [[nodiscard]] View<StreamInput> input() const;
  [[nodiscard]] View<StreamOutput> output() const;
  void start_stream();
  void stop_stream();
  void schedule(uint64_t delay_ns);
  void run_slice();
  [[nodiscard]] bool fault_unseen();
  [[nodiscard]] uint64_t read_insert();
  void publish_extract();
  void report_exceptions();
  void event(uint32_t bit);
  void advance(Job& job);
  void try_jobs();
  void job_ended(uint64_t id);
  bool heap_satisfied(Job& job);
  void ask_for_heap();
  void heap_answered();
  void drop_work();
  [[nodiscard]] uint32_t scoreboard_mask() const noexcept;
  [[nodiscard]] uint32_t in_flight(cs::Endpoint endpoint) const noexcept;

  Machine& machine_;
  GroupSlot& group_;
  const unsigned index_;
  cs::Interpreter interpreter_;
  cs::Context context_{};

  bool started_ = false;
  bool frozen_ = true;
  bool stalled_ = false;
  bool restored_ = false;  ///< context_ comes from a suspend buffer
  bool extract_event_armed_ = false;
  bool oom_pending_ = false;
  Phase phase_ = Phase::empty;
  uint64_t ring_base_ = 0;
  uint32_t ring_size_ = 0;
  uint64_t ring_input_ = 0, ring_output_ = 0;
  unsigned doorbell_id_ = 0;
  uint64_t published_extract_ = 0;
  uint64_t seen_insert_ = 0;
  uint64_t ready_at_ = 0;  ///< model time up to which this stream has executed
  uint32_t flushes_ = 0;
  uint64_t epoch_ = 0;  ///< grows when in-flight callbacks must be forgotten
  std::vector<Job> jobs_;
  uint64_t next_job_ = 1;
  EventQueue::Id slice_ = 0;
  uint64_t& instructions_;
};

}  // namespace vgpu::fw
