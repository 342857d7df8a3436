// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "cs/environment.hpp"
#include "panthor/isa/instructions.hpp"
#include "shader/job_planner.hpp"

namespace vgpu::shader::test {

namespace isa = ::panthor::isa;

/// Pages that appear when they are first asked for, and a record of what was accessed how.
struct FakeMemory {
  std::map<uint64_t, std::vector<std::byte>> pages;
  std::set<uint64_t> written, stalled, aborted;

  Translate translate = [this](uint64_t va, Access access) -> Mmu::Lookup {
    const uint64_t page = va & ~(page_size - 1);
    if (aborted.contains(page)) return {AccessResult::aborted, nullptr, 0, 0};
    if (stalled.contains(page)) return {AccessResult::stalled, nullptr, 0, 0xc3};
    if (access == Access::write) written.insert(page);
    return {AccessResult::ok, bytes(page) + va % page_size, page_size - va % page_size, 0};
  };
  std::byte* bytes(uint64_t page) {
    auto& storage = pages[page];
    storage.resize(page_size);
    return storage.data();
  }
  template <size_t n>
  void put(uint64_t va, const std::array<uint32_t, n>& words) {
    std::memcpy(bytes(va & ~(page_size - 1)) + va % page_size, words.data(), sizeof words);
  }
  uint32_t get(uint64_t va) {
    uint32_t word;
    std::memcpy(&word, bytes(va & ~(page_size - 1)) + va % page_size, sizeof word);
    return word;
  }
  [[nodiscard]] size_t written_in(uint64_t va, uint64_t size) const {
    return static_cast<size_t>(std::distance(written.lower_bound(va), written.lower_bound(va + size)));
  }
};

/// A job as the interpreter hands it over.
struct FakeJob {
  std::array<uint32_t, cs::register_count> registers{};
  uint64_t core_mask = 0x50005;  ///< RK3588's shader_present

  void pair(unsigned index, uint64_t value) {
    registers[index] = static_cast<uint32_t>(value);
    registers[index + 1] = static_cast<uint32_t>(value >> 32);
  }
  [[nodiscard]] cs::IteratorJob job(uint64_t instruction) const {
    return {.endpoint = cs::Endpoint::compute,
            .instruction = instruction,
            .registers = registers,
            .scoreboard = 0,
            .core_mask = core_mask};
  }
};

}  // namespace vgpu::shader::test
