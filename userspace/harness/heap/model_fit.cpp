// SPDX-License-Identifier: MIT
#include "heap/model_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace harness {
namespace {

constexpr uint64_t mib = 1ull << 20;
constexpr uint64_t gb = 1'000'000'000;

// Weights are the files' sizes. Spill sizes are the two that were measured on the users' shaders (544 and
// 5328 bytes a thread); KV, ubatch and buffer sizes are assumed from llama.cpp's defaults and can be given by
// hand.
// clang-format off
constexpr ModelProfile profiles[] = {
    // name  description                        weights       KV         ubatch     largest    spill  command buffers
    {"26b",  "26B mixture of experts, 13 GB",   13 * gb,      1024 * mib, 1024 * mib, 2048 * mib, 5328, 32},
    {"e2b",  "E2B, 2.8 GB",                     2'800'000'000, 256 * mib, 512 * mib, 1024 * mib, 5328, 16},
    {"3b",   "3B, 1.9 GB",                      1'900'000'000, 448 * mib, 304 * mib, 1024 * mib, 544,  16},
};
// clang-format on

}  // namespace

std::span<const ModelProfile> model_profiles() noexcept {
  return profiles;
}

ModelProfile find_profile(std::string_view name) {
  std::string known;
  for (const ModelProfile& profile : profiles) {
    if (profile.name == name) return profile;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", profile.name);
  }
  throw std::invalid_argument(fmt::format("no profile \"{}\": there are {}", name, known));
}

const FitRow* Fit::stopped_by() const noexcept {
  const auto it = std::ranges::find_if_not(rows, &FitRow::fits);
  return it == rows.end() ? nullptr : &*it;
}

Fit fit_model(const ModelProfile& model, const FitLimits& limits) {
  const HeapUse heap = plan_heap(model.spill_bytes, model.command_buffers, limits.gpu, limits.private_heap);
  const uint64_t application = model.weights_bytes + model.kv_bytes + model.ubatch_bytes;
  const uint64_t scratch = heap.buffer_bytes * heap.buffers;
  // What does not fit the heap is never allocated, so it pins nothing.
  const uint64_t pinned = application + heap.pinned_bytes;
  const uint64_t ram = limits.ram_bytes - std::min(limits.reserved_ram_bytes, limits.ram_bytes);
  Fit fit;
  fit.rows.push_back({"buffer size", model.largest_buffer, limits.buffer_cap, "largest single buffer"});
  fit.rows.push_back({"application heap", application, limits.application_heap.bytes(),
                      "addresses for weights, KV cache and activations"});
  fit.rows.push_back({"private heap", scratch, heap.heap_bytes,
                      fmt::format("{} command buffers of {}{}", heap.buffers, show_bytes(heap.buffer_bytes),
                                  heap.full() ? fmt::format("; the {}th does not fit", heap.full_at) : "")});
  fit.rows.push_back({"RAM", pinned, ram,
                      fmt::format("all of it pinned; {} in slices of cores that do not exist",
                                  show_bytes(heap.phantom_bytes))});
  return fit;
}

}  // namespace harness
