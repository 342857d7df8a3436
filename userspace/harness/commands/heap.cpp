// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "heap/heap_replay.hpp"
#include "panthor/device.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  uint64_t spill_bytes = 5328;
  uint64_t buffers = 16;
  uint64_t other_bytes = 0;
  ScratchGpu gpu;
  VaRange range;
  std::optional<std::string> node;
  uint64_t placed = 1000;
  bool json = false;
};

constexpr const char* footer =
    "Sizes take k, m or g (powers of 1024).\n"
    "Examples:\n"
    "  panthor-harness heap --tls 5328 --buffers 16            arithmetic only\n"
    "  panthor-harness heap --tls 544 --end 256m --device      the same on this machine's GPU\n"
    "  panthor-harness heap --device --placed 5000             and how many the kernel's own heap takes\n"
    "  panthor-harness heap --device /dev/dri/renderD129\n"
    "Exit codes:\n"
    "  0   it was told (and on a device: the heap filled up where the arithmetic says)\n"
    "  1   the device disagrees: the kernel refused earlier, or its own heap took fewer than --placed\n"
    "  2   usage\n"
    "  77  --device and no render node driven by panthor\n";

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_human(const Options& options, const HeapUse& use) {
  const unsigned slices = options.gpu.slices();
  const unsigned cores = options.gpu.cores();
  fmt::print("private heap      [{}, {}) = {}\n", show_bytes(options.range.start),
             show_bytes(options.range.end), show_bytes(use.heap_bytes));
  fmt::print("scratch           {} B a thread -> {} B * {} threads * {} slices = {} a command buffer\n",
             options.spill_bytes, thread_scratch_bytes(options.spill_bytes), options.gpu.threads_per_core,
             slices, show_bytes(use.buffer_bytes));
  fmt::print("fits              {} command buffers fill it; number {} finds no room", use.fitting,
             use.full_at);
  if (const uint64_t left = use.heap_bytes - options.other_bytes - use.fitting * use.buffer_bytes;
      use.fitting > 0 && use.buffer_bytes > 0)
    fmt::print(" (number {} already, if {} more lie in the heap)", use.fitting, show_bytes(left + 1));
  fmt::print("\n");
  fmt::print("pinned RAM        {} for {} command buffers\n", show_bytes(use.pinned_bytes),
             std::min(use.buffers, use.fitting));
  fmt::print("of it unused      {} ({:.0f} %): {} of {} slices are of cores that do not exist\n",
             show_bytes(use.phantom_bytes), percent(slices - cores, slices), slices - cores, slices);
  fmt::print("if only touched   {} would be pinned (a driver that populates on first touch)\n",
             show_bytes(use.pinned_bytes - use.phantom_bytes));
  if (use.full())
    fmt::print("verdict           {} asked for: number {} fails, as out of device memory\n", use.buffers,
               use.full_at);
  else
    fmt::print("verdict           all {} fit\n", use.buffers);
}

Json to_json(const Options& options, const HeapUse& use) {
  return {
      {"heap_bytes", use.heap_bytes},     {"tls_bytes_per_thread", thread_scratch_bytes(options.spill_bytes)},
      {"slices", options.gpu.slices()},   {"cores", options.gpu.cores()},
      {"buffer_bytes", use.buffer_bytes}, {"buffers", use.buffers},
      {"fitting", use.fitting},           {"full_at", use.full_at},
      {"pinned_bytes", use.pinned_bytes}, {"phantom_bytes", use.phantom_bytes}};
}

/// True when the device ends where the arithmetic says.
bool replay(const Options& options, const HeapUse& use, const panthor::Device& device, Json& json) {
  if (options.other_bytes != 0 || use.buffer_bytes == 0)
    throw CLI::ValidationError("--device", "a replay needs --tls above 0 and no --other");
  if (!options.json) fmt::print("\non {}: binding\n", device.path());
  const HeapReplay result =
      replay_heap(device, use.buffer_bytes, options.buffers, options.range, [&](uint64_t bound) {
        if (options.json) return;
        fmt::print("  {} bound, {}\n", bound, show_bytes(bound * use.buffer_bytes));
        std::fflush(stdout);
      });
  const bool agrees = result.error.empty() && result.bound == std::min(use.fitting, options.buffers) &&
                      result.range_full == use.full();
  json["device"] = {
      {"node", device.path()},           {"bound", result.bound}, {"bound_bytes", result.bound_bytes},
      {"range_full", result.range_full}, {"error", result.error}, {"agrees", agrees}};
  if (result.resident_bytes) json["device"]["resident_bytes"] = *result.resident_bytes;
  if (options.json) return agrees;
  if (result.resident_bytes) fmt::print("  {} of RAM in use for them\n", show_bytes(*result.resident_bytes));
  if (!result.error.empty())
    fmt::print("  the kernel refused number {}: {}\n", result.bound + 1, result.error);
  else if (result.range_full)
    fmt::print("  no addresses left for number {}\n", result.bound + 1);
  return agrees;
}

/// The same buffers as the kernel series "heap" would have them: placed by the kernel, without memory until
/// touched.
bool replay_placed(const Options& options, const HeapUse& use, const panthor::Device& device, Json& json) {
  using panthor::VaFeatures;
  if (options.placed == 0) return true;
  if (!device.has_va_features(VaFeatures::heap | VaFeatures::alloc_on_fault)) {
    json["kernel_heap"] = nullptr;
    if (!options.json) fmt::print("\nthe kernel has no heap of its own (kernel series \"heap\")\n");
    return true;
  }
  const HeapReplay result = replay_kernel_heap(device, use.buffer_bytes, options.placed);
  const bool good = result.error.empty() && result.bound == options.placed;
  json["kernel_heap"] = {{"bound", result.bound},
                         {"bound_bytes", result.bound_bytes},
                         {"range_full", result.range_full},
                         {"error", result.error}};
  if (result.resident_bytes) json["kernel_heap"]["resident_bytes"] = *result.resident_bytes;
  if (options.json) return good;
  fmt::print("\nplaced by the kernel, memory when touched\n  {} bound, {}\n", result.bound,
             show_bytes(result.bound_bytes));
  if (result.resident_bytes) fmt::print("  {} of RAM in use for them\n", show_bytes(*result.resident_bytes));
  if (result.range_full) fmt::print("  no addresses left for number {}\n", result.bound + 1);
  if (!result.error.empty())
    fmt::print("  the kernel refused number {}: {}\n", result.bound + 1, result.error);
  return good;
}

int heap(Options options) {
  std::optional<panthor::Device> device;
  if (options.node) {
    device = panthor::Device::open_path_or_first(*options.node);
    options.gpu = scratch_gpu(*device);
  }
  const HeapUse use =
      plan_heap(options.spill_bytes, options.buffers, options.gpu, options.range, options.other_bytes);
  Json json = to_json(options, use);
  if (!options.json) print_human(options, use);
  bool agrees = !device || replay(options, use, *device, json);
  if (device) agrees = replay_placed(options, use, *device, json) && agrees;
  if (options.json) fmt::print("{}\n", json.dump(2));
  return agrees ? exit_good : exit_failed;
}

}  // namespace

void add_heap(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("heap", "How panvk's private heap fills up with scratch memory of command buffers");
  command->footer(footer);
  const auto size = CLI::AsSizeValue(false);
  command->add_option("--tls", options->spill_bytes, "Scratch (spill) bytes a thread of the worst shader")
      ->capture_default_str()
      ->transform(size);
  command->add_option("--buffers", options->buffers, "Command buffers alive at once")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 20));
  command->add_option("--start", options->range.start, "Start of the heap (default 32m)")->transform(size);
  command->add_option("--end", options->range.end, "End of the heap (default 4g)")->transform(size);
  command->add_option("--other", options->other_bytes, "What else lies in the heap")->transform(size);
  command->add_option("--shader-present", options->gpu.shader_present,
                      "Cores, as a mask (default 0x50005, RK3588); with --device the GPU's own");
  command
      ->add_option_function<std::string>(
          "--device", [options](const std::string& node) { options->node = node; },
          "Really create and bind the buffers, on this node or the first one driven by panthor")
      ->expected(0, 1);
  command
      ->add_option("--placed", options->placed,
                   "With --device: buffers to put into the kernel's own heap, where it has one; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 20));
  command->add_flag("--json", options->json, "One JSON object");
  command->callback([options, &exit_code] {
    try {
      exit_code = heap(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("heap", error.what());
    }
  });
}

}  // namespace harness
