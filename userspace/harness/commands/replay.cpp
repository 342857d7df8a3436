// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "listing/listing.hpp"
#include "listing/summary.hpp"
#include "player/player.hpp"
#include "recordings/call_watchdog.hpp"
#include "recordings/recording_file.hpp"

namespace harness {
namespace {

using nlohmann::ordered_json;
using namespace std::chrono_literals;

struct Options {
  std::string file;
  std::string node;
  std::string speed = "asap";
  double deadline_s = 10;
  bool check = false;
  bool info = false;
  bool list = false;
  bool times = false;
  bool json = false;
};

constexpr const char* footer =
    "Examples:\n"
    "  panthor-harness replay --info hang.rec\n"
    "  panthor-harness replay --check hang.rec\n"
    "  panthor-harness replay --list --times hang.rec\n"
    "  ./lab exec --bind $PWD:/mnt -- panthor-harness replay /mnt/hang.rec\n"
    "What differs is reported: results, errnos, values the driver returned; with --check also what the GPU "
    "wrote.\n"
    "A recording that is cut off is replayed as far as it is whole.\n"
    "Exit codes:\n"
    "  0   the same results and fences as in the recording, as far as it came back\n"
    "  1   a result differs, or a fence did not signal (also when it did not in the recording)\n"
    "  2   usage\n"
    "  77  no render node driven by panthor: nothing was tested\n";

std::string megabytes(uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void print_lines(const char* title, const std::vector<std::string>& lines, uint64_t count) {
  for (const std::string& line : lines) fmt::print("  {}: {}\n", title, line);
  if (count > lines.size()) fmt::print("  {}: and {} more\n", title, count - lines.size());
}

int print_info(const RecordingFile& file, bool json) {
  recording::Reader reader = file.reader();
  const recording::Summary summary = summarize(reader);
  if (json) {
    fmt::print("{}\n", ordered_json{{"header", summary.info},
                                    {"calls", summary.calls},
                                    {"submits", summary.submits},
                                    {"files", summary.files},
                                    {"threads", summary.threads},
                                    {"content_bytes", summary.content_bytes},
                                    {"seconds", static_cast<double>(summary.duration_ns) / 1e9},
                                    {"calls_by_name", summary.calls_by_name},
                                    {"failed", summary.failed},
                                    {"unfinished", summary.unfinished},
                                    {"notes", summary.notes},
                                    {"ended", summary.ended},
                                    {"damage", summary.damage}}
                           .dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return exit_good;
  }
  for (const auto& [key, value] : summary.info) fmt::print("{:<15} {}\n", key, value);
  fmt::print("{:<15} {} ioctls, {} submits, {} threads, {} files, {} of contents in {:.3f} s\n", "recorded",
             summary.calls, summary.submits, summary.threads, summary.files, megabytes(summary.content_bytes),
             static_cast<double>(summary.duration_ns) / 1e9);
  for (const auto& [name, count] : summary.calls_by_name) fmt::print("  {:>8}  {}\n", count, name);
  print_lines("failed", summary.failed, 0);
  print_lines("did not return", summary.unfinished, 0);
  print_lines("note", summary.notes, 0);
  if (!summary.damage.empty()) fmt::print("damaged: {}\n", summary.damage);
  fmt::print("{}\n",
             summary.ended ? "the program came to its end" : "the recording stops before the program's end");
  return exit_good;
}

int print_list(const RecordingFile& file, bool times) {
  recording::Reader reader = file.reader();
  recording::Listing(times, [](const std::string& line) { fmt::print("{}\n", line); }).list(reader);
  if (!reader.damage().empty()) fmt::print(stderr, "panthor-harness: damaged: {}\n", reader.damage());
  return exit_good;
}

void print_human(const recording::Outcome& outcome) {
  fmt::print("{} ioctls, {} submits, {} waits, {} of contents\n", outcome.calls, outcome.submits,
             outcome.waits, megabytes(outcome.content_bytes));
  print_lines("differs", outcome.differences, outcome.difference_count);
  print_lines("not replayed", outcome.not_replayed, outcome.not_replayed_count);
  print_lines("note", outcome.notes, 0);
  if (outcome.timing != 0) fmt::print("  {} calls differ only by how far the GPU was\n", outcome.timing);
  if (outcome.checked_bytes != 0)
    fmt::print("  {} written by the GPU compared, {} words unsettled between threads\n",
               megabytes(outcome.checked_bytes), outcome.unsettled);
  if (!outcome.damage.empty()) fmt::print("  damaged: {}; replayed what is whole\n", outcome.damage);
  if (!outcome.stuck.empty()) fmt::print("stuck: {}\n", outcome.stuck);
  if (!outcome.passed())
    fmt::print("{} differences{}\n", outcome.difference_count, outcome.stuck.empty() ? "" : ", stuck");
  else if (outcome.not_reproduced)
    fmt::print("nothing differs, but the recording ends in a hang that did not happen here\n");
  else
    fmt::print("the same results and fences as in the recording\n");
}

void print_json(const recording::Outcome& outcome) {
  fmt::print("{}\n", ordered_json{{"passed", outcome.passed()},
                                  {"calls", outcome.calls},
                                  {"submits", outcome.submits},
                                  {"waits", outcome.waits},
                                  {"content_bytes", outcome.content_bytes},
                                  {"checked_bytes", outcome.checked_bytes},
                                  {"unsettled_words", outcome.unsettled},
                                  {"difference_count", outcome.difference_count},
                                  {"differences", outcome.differences},
                                  {"timing", outcome.timing},
                                  {"not_replayed_count", outcome.not_replayed_count},
                                  {"not_replayed", outcome.not_replayed},
                                  {"notes", outcome.notes},
                                  {"stuck", outcome.stuck},
                                  {"not_reproduced", outcome.not_reproduced},
                                  {"ended", outcome.ended},
                                  {"damage", outcome.damage}}
                         .dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

int play(const RecordingFile& file, const Options& options) {
  recording::Reader reader = file.reader();
  const auto kernel = recording::make_kernel(options.node);
  const auto deadline =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.deadline_s));
  CallWatchdog watchdog(deadline + 10s, [](const std::string& call) {
    fmt::print("stuck: {} does not return\n", call);
    std::fflush(stdout);
    ::_exit(exit_failed);  // the thread inside it cannot be asked to
  });
  recording::Player player(*kernel, {.recorded_speed = options.speed == "recorded",
                                     .check = options.check,
                                     .deadline = deadline,
                                     .in_call = [&](const std::string& call) { watchdog.in_call(call); }});
  if (!options.json) {
    const auto& info = reader.info();
    const auto value = [&](const char* key) { return info.contains(key) ? info.at(key) : "unknown"; };
    fmt::print("replay of {}: GPU {}, panthor {}, Linux {}\n", options.file, value("gpu_id"),
               value("driver_version"), value("kernel"));
    std::fflush(stdout);
  }
  const recording::Outcome outcome = player.play(reader);
  (options.json ? print_json : print_human)(outcome);
  return outcome.passed() ? exit_good : exit_failed;
}

int replay(const Options& options) {
  const RecordingFile file(options.file);
  if (options.info) return print_info(file, options.json);
  if (options.list) return print_list(file, options.times);
  return play(file, options);
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("replay", "Issue a recording's ioctls again and report what differs");
  command->footer(footer);
  command->add_option("file", options->file, "A recording")->required();
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_option("--speed", options->speed, "asap, or recorded: keep the distances in time")
      ->capture_default_str()
      ->check(CLI::IsMember({"asap", "recorded"}));
  command
      ->add_option("--deadline", options->deadline_s,
                   "Seconds for a wait that was satisfied or never came back")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  command->add_flag(
      "--check", options->check,
      "Compare what the GPU wrote with what the program found (jobs that store the time differ)");
  auto* info = command->add_flag("--info", options->info, "Print what the recording holds; needs no device");
  auto* list = command
                   ->add_flag("--list", options->list,
                              "Print one line an ioctl, the same for two recordings of the same work")
                   ->excludes(info);
  command->add_flag("--times", options->times, "With --list: time, call and thread")->needs(list);
  command->add_flag("--json", options->json, "One JSON object instead of lines")->excludes(list);
  command->callback([options, &exit_code] { exit_code = replay(*options); });
}

}  // namespace harness
