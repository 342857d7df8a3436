// SPDX-License-Identifier: MIT
// Any words: decoded, printed, put together again; then run as a ring and as a called buffer, by a machine
// whose memory stalls and aborts as the input says. Nothing may crash, and nothing may run on past its
// budget.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "panthor/isa/decode.hpp"
#include "panthor/isa/encode.hpp"
#include "tests/cs/fake_environment.hpp"

namespace {

using namespace vgpu::cs;
using namespace vgpu::cs::test;

void check(bool ok) {
  if (!ok) std::abort();
}

void decode(uint64_t word) {
  const isa::Decoded decoded = isa::decode(word);
  check(!isa::disassemble(word).empty());
  if (decoded.defect != isa::Defect::none) return;
  uint64_t again = static_cast<uint64_t>(decoded.row->opcode) << 56;
  for (const isa::Field& field : decoded.row->fields())
    again |= isa::encode(*decoded.row, {{field.name, decoded[field.name]}});
  check(again == word);
}

/// The first byte says which pages are away and how jobs end; the registers start at addresses that exist.
void execute(uint8_t mode, const std::vector<uint64_t>& words, bool in_ring) {
  Stream stream;
  if (mode & 1) stream.environment.stalled = {Stream::data_va + 0x1000};
  if (mode & 2) stream.environment.aborted = {Stream::data_va + 0x2000};
  stream.environment.grant_jobs = !(mode & 4);
  if (mode & 8) {
    stream.environment.ends_at_once = &stream.interpreter;
    stream.environment.context = &stream.context;
  }
  for (unsigned i = 0; i + 1 < register_count; i += 2)
    stream.context.reg[i] = static_cast<uint32_t>(Stream::data_va + 0x100 * i);
  if (in_ring)
    stream.push(words);
  else
    stream.load(words);

  constexpr uint64_t budget = 512;
  for (int slice = 0; slice < 8; ++slice) {
    check(stream.run(budget).executed <= budget);
    check(stream.context.depth <= call_depth && stream.context.deferred_count <= deferred_capacity);
    if (!stream.environment.jobs.empty()) stream.end_job();
    if (!stream.environment.flushes.empty()) stream.end_flush();
    stream.environment.stalled.clear();
    stream.environment.traces.clear();
    stream.environment.updates.clear();
    while (stream.interpreter.take_exception()) {
    }
    if (mode & 16) (void)stream.interpreter.enter_exception_handler(stream.context);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 9 || size > 2048) return 0;
  std::vector<uint64_t> words((size - 1) / 8);
  std::memcpy(words.data(), data + 1, words.size() * 8);
  for (const uint64_t word : words) decode(word);
  execute(data[0], words, true);
  execute(data[0], words, false);
  return 0;
}
