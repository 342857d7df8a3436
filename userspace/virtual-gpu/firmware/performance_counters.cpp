// SPDX-License-Identifier: MIT
#include "firmware/performance_counters.hpp"

#include <array>

namespace vgpu::fw {

std::optional<uint32_t> PerformanceCounters::sample(const View<GlobalInput>& input, uint32_t insert) {
  if (!enabled_ || insert - input.get(&GlobalInput::perfcnt_extract) >= ring_samples) return std::nullopt;
  const uint64_t cycles = machine_.gpu.cycle_count(), instructions = machine_.log.counter("cs.instructions");
  std::array<uint32_t, sample_size / sizeof(uint32_t)> words{};
  for (uint32_t block = 0; block < block_count; ++block) {
    uint32_t* const w = &words[block * (block_size / sizeof(uint32_t))];
    w[0] = static_cast<uint32_t>(machine_.gpu.timestamp());
    w[1] = static_cast<uint32_t>(machine_.gpu.timestamp() >> 32);
    w[2] = ~0u;  // which groups of four counters are valid
    w[4] = static_cast<uint32_t>(cycles - last_cycles_);
    if (block == 0) w[5] = static_cast<uint32_t>(instructions - last_instructions_);
  }
  last_cycles_ = cycles;
  last_instructions_ = instructions;
  const uint64_t va = input.get(&GlobalInput::perfcnt_base) + insert % ring_samples * sample_size;
  const unsigned as = input.get(&GlobalInput::perfcnt_as) & 0xf;
  if (machine_.mmu.write(as, va, std::as_bytes(std::span(words)), Master::mcu) != AccessResult::ok)
    return std::nullopt;
  return insert + 1;
}

}  // namespace vgpu::fw
