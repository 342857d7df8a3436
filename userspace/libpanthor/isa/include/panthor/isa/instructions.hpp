// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "panthor/isa/encode.hpp"

/// One function an instruction: what command-stream builders and tests call. All are constexpr and throw as
/// encode() does. Registers are plain indices; a 64-bit operand names the first register of its pair.
namespace panthor::isa {

/// How a deferrable instruction is issued: wait for scoreboard entries first (bit mask), signal one when it
/// has run. A `wait` of 0 means now; FLUSH_CACHE2 signals its entry in either case.
struct Deferral {
  uint16_t wait = 0;
  uint8_t signal = 0;
};

/// Registers RUN_COMPUTE reads: pair index = select * 2 within each bank (SRT d0, FAU d8, SPD d16, TSD d24).
struct ShaderSelects {
  uint8_t srt = 0, spd = 0, tsd = 0, fau = 0;
};

[[nodiscard]] constexpr uint64_t nop() {
  return encode(Opcode::nop, {});
}
[[nodiscard]] constexpr uint64_t move48(unsigned destination, uint64_t immediate) {
  return encode(Opcode::move48, {{"destination", destination}, {"immediate", immediate}});
}
[[nodiscard]] constexpr uint64_t move32(unsigned destination, uint32_t immediate) {
  return encode(Opcode::move32, {{"destination", destination}, {"immediate", immediate}});
}
[[nodiscard]] constexpr uint64_t wait(uint16_t entries, bool progress_increment = false) {
  return encode(Opcode::wait, {{"wait", entries}, {"progress_increment", progress_increment}});
}
[[nodiscard]] constexpr uint64_t add_imm32(unsigned destination, unsigned source, int32_t immediate) {
  return encode(Opcode::add_imm32,
                {{"destination", destination}, {"source", source}, {"immediate", immediate}});
}
[[nodiscard]] constexpr uint64_t add_imm64(unsigned destination, unsigned source, int32_t immediate) {
  return encode(Opcode::add_imm64,
                {{"destination", destination}, {"source", source}, {"immediate", immediate}});
}
[[nodiscard]] constexpr uint64_t umin32(unsigned destination, unsigned source1, unsigned source2) {
  return encode(Opcode::umin32, {{"destination", destination}, {"source1", source1}, {"source2", source2}});
}
/// Bit i of `mask` loads register base + i from address + offset + 4 * i.
[[nodiscard]] constexpr uint64_t load_multiple(unsigned base, uint16_t mask, unsigned address,
                                               int16_t offset = 0) {
  return encode(Opcode::load_multiple,
                {{"base", base}, {"mask", mask}, {"address", address}, {"offset", offset}});
}
[[nodiscard]] constexpr uint64_t store_multiple(unsigned base, uint16_t mask, unsigned address,
                                                int16_t offset = 0) {
  return encode(Opcode::store_multiple,
                {{"base", base}, {"mask", mask}, {"address", address}, {"offset", offset}});
}
/// `offset` counts instructions from the one after the branch.
[[nodiscard]] constexpr uint64_t branch(Condition condition, unsigned value, int16_t offset) {
  return encode(Opcode::branch, {{"condition", condition}, {"value", value}, {"offset", offset}});
}
[[nodiscard]] constexpr uint64_t set_sb_entry(unsigned endpoint, unsigned other) {
  return encode(Opcode::set_sb_entry, {{"endpoint", endpoint}, {"other", other}});
}
/// `length` names a register that holds bytes, a multiple of 8.
[[nodiscard]] constexpr uint64_t call(unsigned address, unsigned length) {
  return encode(Opcode::call, {{"address", address}, {"length", length}});
}
[[nodiscard]] constexpr uint64_t jump(unsigned address, unsigned length) {
  return encode(Opcode::jump, {{"address", address}, {"length", length}});
}
[[nodiscard]] constexpr uint64_t set_exception_handler(ExceptionType type, unsigned address,
                                                       unsigned length) {
  return encode(Opcode::set_exception_handler, {{"type", type}, {"address", address}, {"length", length}});
}
/// `resources`: bits of enum Resource.
[[nodiscard]] constexpr uint64_t req_resource(uint32_t resources) {
  return encode(Opcode::req_resource, {{"compute", (resources & resource_compute) != 0},
                                       {"fragment", (resources & resource_fragment) != 0},
                                       {"tiler", (resources & resource_tiler) != 0},
                                       {"idvs", (resources & resource_idvs) != 0}});
}
/// `flush_id` names a register; a value of 0 in it always flushes.
[[nodiscard]] constexpr uint64_t flush_cache2(FlushMode l2, FlushMode lsc, OtherFlushMode other,
                                              unsigned flush_id, Deferral how = {}) {
  return encode(Opcode::flush_cache2, {{"l2", l2},
                                       {"lsc", lsc},
                                       {"other", other},
                                       {"flush_id", flush_id},
                                       {"signal", how.signal},
                                       {"wait", how.wait}});
}

namespace detail {
constexpr uint64_t sync_update_word(Opcode opcode, unsigned address, unsigned data, Scope scope,
                                    bool error_propagate, Deferral how) {
  return encode(opcode, {{"address", address},
                         {"data", data},
                         {"scope", scope},
                         {"error_propagate", error_propagate},
                         {"signal", how.signal},
                         {"wait", how.wait}});
}
constexpr uint64_t sync_wait_word(Opcode opcode, Condition condition, unsigned address, unsigned data,
                                  bool error_reject) {
  return encode(
      opcode,
      {{"condition", condition}, {"address", address}, {"data", data}, {"error_reject", error_reject}});
}
}  // namespace detail

[[nodiscard]] constexpr uint64_t sync_add32(unsigned address, unsigned data, Scope scope = Scope::system,
                                            bool error_propagate = false, Deferral how = {}) {
  return detail::sync_update_word(Opcode::sync_add32, address, data, scope, error_propagate, how);
}
[[nodiscard]] constexpr uint64_t sync_set32(unsigned address, unsigned data, Scope scope = Scope::system,
                                            bool error_propagate = false, Deferral how = {}) {
  return detail::sync_update_word(Opcode::sync_set32, address, data, scope, error_propagate, how);
}
[[nodiscard]] constexpr uint64_t sync_add64(unsigned address, unsigned data, Scope scope = Scope::system,
                                            bool error_propagate = false, Deferral how = {}) {
  return detail::sync_update_word(Opcode::sync_add64, address, data, scope, error_propagate, how);
}
[[nodiscard]] constexpr uint64_t sync_set64(unsigned address, unsigned data, Scope scope = Scope::system,
                                            bool error_propagate = false, Deferral how = {}) {
  return detail::sync_update_word(Opcode::sync_set64, address, data, scope, error_propagate, how);
}
/// Goes on when *address `condition` data; without `error_reject` a status word set at the object is
/// inherited.
[[nodiscard]] constexpr uint64_t sync_wait32(Condition condition, unsigned address, unsigned data,
                                             bool error_reject = false) {
  return detail::sync_wait_word(Opcode::sync_wait32, condition, address, data, error_reject);
}
[[nodiscard]] constexpr uint64_t sync_wait64(Condition condition, unsigned address, unsigned data,
                                             bool error_reject = false) {
  return detail::sync_wait_word(Opcode::sync_wait64, condition, address, data, error_reject);
}
[[nodiscard]] constexpr uint64_t store_state(State state, unsigned address, int16_t offset = 0,
                                             Deferral how = {}) {
  return encode(Opcode::store_state, {{"state", state},
                                      {"address", address},
                                      {"offset", offset},
                                      {"signal", how.signal},
                                      {"wait", how.wait}});
}
[[nodiscard]] constexpr uint64_t prot_region(uint16_t instructions) {
  return encode(Opcode::prot_region, {{"instructions", instructions}});
}
[[nodiscard]] constexpr uint64_t progress_wait(unsigned queue, unsigned source) {
  return encode(Opcode::progress_wait, {{"queue", queue}, {"source", source}});
}
[[nodiscard]] constexpr uint64_t progress_store(unsigned source) {
  return encode(Opcode::progress_store, {{"source", source}});
}
[[nodiscard]] constexpr uint64_t progress_load(unsigned destination) {
  return encode(Opcode::progress_load, {{"destination", destination}});
}
[[nodiscard]] constexpr uint64_t error_barrier() {
  return encode(Opcode::error_barrier, {});
}
[[nodiscard]] constexpr uint64_t heap_set(unsigned address) {
  return encode(Opcode::heap_set, {{"address", address}});
}
[[nodiscard]] constexpr uint64_t heap_operation(HeapOp operation, Deferral how = {}) {
  return encode(Opcode::heap_operation,
                {{"operation", operation}, {"signal", how.signal}, {"wait", how.wait}});
}
[[nodiscard]] constexpr uint64_t trace_point(unsigned base, unsigned count, Deferral how = {}) {
  return encode(Opcode::trace_point,
                {{"base", base}, {"count", count}, {"signal", how.signal}, {"wait", how.wait}});
}

/// `increment` workgroups along `axis` make a task, 1..16383.
[[nodiscard]] constexpr uint64_t run_compute(TaskAxis axis, unsigned increment, ShaderSelects selects = {},
                                             bool progress_increment = false) {
  return encode(Opcode::run_compute, {{"axis", axis},
                                      {"task_increment", increment},
                                      {"progress_increment", progress_increment},
                                      {"srt", selects.srt},
                                      {"spd", selects.spd},
                                      {"tsd", selects.tsd},
                                      {"fau", selects.fau}});
}
[[nodiscard]] constexpr uint64_t run_compute_indirect(unsigned workgroups_per_task,
                                                      ShaderSelects selects = {},
                                                      bool progress_increment = false) {
  return encode(Opcode::run_compute_indirect, {{"workgroups_per_task", workgroups_per_task},
                                               {"progress_increment", progress_increment},
                                               {"srt", selects.srt},
                                               {"spd", selects.spd},
                                               {"tsd", selects.tsd},
                                               {"fau", selects.fau}});
}
[[nodiscard]] constexpr uint64_t run_tiling(uint32_t flags_override, ShaderSelects selects = {}) {
  return encode(Opcode::run_tiling, {{"flags_override", flags_override},
                                     {"srt", selects.srt},
                                     {"spd", selects.spd},
                                     {"tsd", selects.tsd},
                                     {"fau", selects.fau}});
}
/// The select and draw-id flags stay 0: set them with encode() where a shader needs them.
[[nodiscard]] constexpr uint64_t run_idvs(uint32_t flags_override, bool malloc_enable = true) {
  return encode(Opcode::run_idvs, {{"flags_override", flags_override}, {"malloc_enable", malloc_enable}});
}
[[nodiscard]] constexpr uint64_t run_fragment(bool enable_tem = false, TileOrder order = TileOrder::z) {
  return encode(Opcode::run_fragment, {{"enable_tem", enable_tem}, {"tile_order", order}});
}
[[nodiscard]] constexpr uint64_t run_fullscreen(uint32_t flags_override, unsigned dcd) {
  return encode(Opcode::run_fullscreen, {{"flags_override", flags_override}, {"dcd", dcd}});
}
[[nodiscard]] constexpr uint64_t finish_tiling(bool progress_increment = false) {
  return encode(Opcode::finish_tiling, {{"progress_increment", progress_increment}});
}
[[nodiscard]] constexpr uint64_t finish_fragment(unsigned first_chunk, unsigned last_chunk,
                                                 bool frag_end = true, Deferral how = {}) {
  return encode(Opcode::finish_fragment, {{"frag_end", frag_end},
                                          {"first_chunk", first_chunk},
                                          {"last_chunk", last_chunk},
                                          {"signal", how.signal},
                                          {"wait", how.wait}});
}

}  // namespace panthor::isa
