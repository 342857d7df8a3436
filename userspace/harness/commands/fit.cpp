// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "heap/model_fit.hpp"

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string model = "26b";
  std::optional<uint64_t> weights, kv, ubatch, largest, spill, buffers;
  FitLimits limits;
  bool json = false;
  bool list = false;
};

constexpr const char* footer =
    "Sizes take k, m or g (powers of 1024). Every number of a profile can be replaced.\n"
    "Examples:\n"
    "  panthor-harness fit --model 26b --ram 32g\n"
    "  panthor-harness fit --model e2b --buffers 8 --heap-end 64g\n"
    "Exit codes:\n"
    "  0  the model fits\n"
    "  1  a limit stops it\n"
    "  2  usage\n";

ModelProfile profile(const Options& options) {
  ModelProfile model = find_profile(options.model);
  model.weights_bytes = options.weights.value_or(model.weights_bytes);
  model.kv_bytes = options.kv.value_or(model.kv_bytes);
  model.ubatch_bytes = options.ubatch.value_or(model.ubatch_bytes);
  model.largest_buffer = options.largest.value_or(model.largest_buffer);
  model.spill_bytes = options.spill.value_or(model.spill_bytes);
  model.command_buffers = options.buffers.value_or(model.command_buffers);
  return model;
}

void print_human(const ModelProfile& model, const Fit& result) {
  fmt::print("{}: weights {}, KV cache {}, ubatch {}, scratch {} B a thread, {} command buffers\n",
             model.name, show_bytes(model.weights_bytes), show_bytes(model.kv_bytes),
             show_bytes(model.ubatch_bytes), model.spill_bytes, model.command_buffers);
  for (const FitRow& row : result.rows)
    fmt::print("  {}  {:<16} {:>10} of {:>10}  {}\n", row.fits() ? "fits" : "FULL", row.limit,
               show_bytes(row.needed), show_bytes(row.available), row.remark);
  if (const FitRow* stop = result.stopped_by())
    fmt::print("stopped by: {}\n", stop->limit);
  else
    fmt::print("it fits\n");
}

void print_json(const ModelProfile& model, const Fit& result) {
  Json rows = Json::array();
  for (const FitRow& row : result.rows)
    rows.push_back({{"limit", row.limit},
                    {"needed", row.needed},
                    {"available", row.available},
                    {"fits", row.fits()},
                    {"remark", row.remark}});
  const FitRow* stop = result.stopped_by();
  const Json json{{"model", model.name}, {"limits", rows}, {"stopped_by", stop ? Json(stop->limit) : Json()}};
  fmt::print("{}\n", json.dump(2));
}

int fit(const Options& options) {
  if (options.list) {
    for (const ModelProfile& model : model_profiles())
      fmt::print("{:<6} {}\n", model.name, model.description);
    return exit_good;
  }
  const ModelProfile model = profile(options);
  const Fit result = fit_model(model, options.limits);
  (options.json ? print_json : print_human)(model, result);
  return result.stopped_by() == nullptr ? exit_good : exit_failed;
}

}  // namespace

void add_fit(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("fit", "Will a model of this size run on the GPU, and which limit stops it");
  command->footer(footer);
  command->add_option("--model", options->model, "Profile to start from, see --list")->capture_default_str();
  command->add_flag("--list", options->list, "Print the profiles");
  const auto size = CLI::AsSizeValue(false);
  FitLimits& limits = options->limits;
  command->add_option("--weights", options->weights, "Bytes of weights on the GPU")->transform(size);
  command->add_option("--kv", options->kv, "Bytes of KV cache")->transform(size);
  command->add_option("--ubatch", options->ubatch, "Bytes of activations")->transform(size);
  command->add_option("--largest", options->largest, "Bytes of the largest buffer")->transform(size);
  command->add_option("--tls", options->spill, "Scratch bytes a thread of the worst shader")->transform(size);
  command->add_option("--buffers", options->buffers, "Command buffers alive at once");
  command->add_option("--ram", limits.ram_bytes, "RAM of the machine (default 32g)")->transform(size);
  command
      ->add_option("--reserved", limits.reserved_ram_bytes, "RAM the rest of the system needs (default 2g)")
      ->transform(size);
  command->add_option("--heap-end", limits.private_heap.end, "End of the private heap (default 4g)")
      ->transform(size);
  command->add_option("--buffer-cap", limits.buffer_cap, "Largest buffer (default 4g - 1)")->transform(size);
  command->add_flag("--json", options->json, "One JSON object");
  command->callback([options, &exit_code] {
    try {
      exit_code = fit(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("fit", error.what());
    }
  });
}

}  // namespace harness
