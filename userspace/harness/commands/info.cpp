// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <bit>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "jobs/priorities.hpp"
#include "panthor/panthor.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(uint64_t value) {
  return fmt::format("{:#x}", value);
}

const char* coherency_name(panthor::Coherency coherency) {
  if (coherency == panthor::Coherency::ace_lite) return "ACE-Lite";
  return coherency == panthor::Coherency::ace ? "ACE" : "none";
}

Json gpu_json(const panthor::GpuInfo& gpu) {
  return {{"gpu_id", hex(gpu.gpu_id)},
          {"arch", fmt::format("{}.{}.{}", gpu.arch_major(), gpu.arch_minor(), gpu.arch_rev())},
          {"product_major", gpu.product_major()},
          {"version", fmt::format("r{}p{}", gpu.version_major(), gpu.version_minor())},
          {"csf_id", hex(gpu.csf_id)},
          {"shader_present", hex(gpu.shader_present)},
          {"shader_cores", std::popcount(gpu.shader_present)},
          {"tiler_present", hex(gpu.tiler_present)},
          {"l2_present", hex(gpu.l2_present)},
          {"l2_slice_bytes", gpu.l2_slice_bytes()},
          {"va_bits", gpu.va_bits()},
          {"pa_bits", gpu.pa_bits()},
          {"address_spaces", std::popcount(gpu.as_present)},
          {"coherency", coherency_name(gpu.selected_coherency)},
          {"max_threads", gpu.max_threads},
          {"max_workgroup_size", gpu.thread_max_workgroup_size}};
}

Json csif_json(const panthor::CsifInfo& csif) {
  return {{"group_slots", csif.csg_slot_count},
          {"queues_per_group", csif.cs_slot_count},
          {"registers", csif.cs_reg_count},
          {"unpreserved_registers", csif.unpreserved_cs_reg_count},
          {"scoreboard_entries", csif.scoreboard_slot_count}};
}

Json priorities_json(const panthor::GroupPrioritiesInfo& info) {
  Json allowed = Json::array();
  for (unsigned i = 0; i < panthor::group_priority_count; ++i)
    if (info.allows(static_cast<panthor::GroupPriority>(i))) allowed.push_back(priority_names[i]);
  return allowed;
}

/// What the kernel series "heap" adds; null without it.
Json va_json(const panthor::Device& device) {
  const auto info = device.va_info();
  if (!info) return {};
  constexpr std::pair<panthor::VaFeatures, const char*> names[] = {
      {panthor::VaFeatures::heap, "heap"},
      {panthor::VaFeatures::alloc_on_fault, "alloc_on_fault"},
      {panthor::VaFeatures::discardable, "discardable"}};
  Json features = Json::array();
  for (const auto& [feature, name] : names)
    if (has(info->features, feature)) features.push_back(name);
  return {{"features", features},
          {"max_user_va_range", hex(info->max_user_va_range)},
          {"default_user_va_range", hex(info->default_user_va_range)},
          {"min_kernel_va_range", hex(info->min_kernel_va_range)},
          {"page_sizes", hex(info->page_size_bitmap)},
          {"default_heap_start", hex(info->default_heap_start)},
          {"default_heap_size", hex(info->default_heap_size)},
          {"max_placement_align", hex(info->max_placement_align)},
          {"max_scratch_size", hex(info->max_scratch_size)}};
}

/// What an older driver cannot say is null.
Json collect(const panthor::Device& device) {
  const auto version = device.version();
  const auto since = [&](const panthor::DriverVersion& needed, auto&& get) {
    return version < needed ? Json() : get();
  };
  return {{"node", device.path()},
          {"driver", "panthor " + to_string(version)},
          {"gpu", gpu_json(device.gpu_info())},
          {"csif", csif_json(device.csif_info())},
          {"priorities", since(panthor::has_group_priorities,
                               [&] { return priorities_json(device.group_priorities_info()); })},
          {"timestamp", since(panthor::has_timestamp_info,
                              [&] {
                                const auto info = device.timestamp_info();
                                return Json{{"frequency_hz", info.frequency_hz}, {"value", info.timestamp}};
                              })},
          {"mmu_page_sizes",
           since(panthor::has_mmu_info, [&] { return Json(hex(device.mmu_info().page_size_bitmap)); })},
          {"address_space", va_json(device)},
          {"flush_id", panthor::FlushIdPage(device).current()}};
}

void print_table(const Json& json, const std::string& indent) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      fmt::print("{}{}\n", indent, key);
      print_table(value, indent + "  ");
      continue;
    }
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_null()) text = "not known to this driver";
    if (value.is_array()) {
      text.clear();
      for (const auto& element : value) text += (text.empty() ? "" : ", ") + element.get<std::string>();
    }
    fmt::print("{}{:<{}} {}\n", indent, key, 24 - indent.size(), text);
  }
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  struct Options {
    std::string node;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "Show what the GPU and the driver are and can do");
  command->footer(std::string("Examples:\n"
                              "  panthor-harness info\n"
                              "  panthor-harness info --json | jq .gpu\n") +
                  exit_code_help);
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback([options, &exit_code] {
    const Json json = collect(panthor::Device::open_path_or_first(options->node));
    if (options->json)
      fmt::print("{}\n", json.dump(2));
    else
      print_table(json, "");
    exit_code = exit_good;
  });
}

}  // namespace harness
