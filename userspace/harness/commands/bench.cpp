// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "bench/bench_report.hpp"
#include "bench/measure.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"

namespace harness {
namespace {

constexpr const char* footer =
    "Times are of one operation. docs/measuring.md tells what each row is, the JSON and the statistics.\n"
    "Examples:\n"
    "  panthor-harness bench                                    every row on this machine's GPU\n"
    "  panthor-harness bench --only submit --rounds 100\n"
    "  panthor-harness bench --json before.json                 then boot the other kernel, and\n"
    "  panthor-harness bench --json after.json\n"
    "  panthor-harness bench --compare before.json after.json\n"
    "  panthor-harness bench --json before.json --append        one more run, after a reboot: from 4 of each "
    "side\n"
    "                                                           differences between boots are in the "
    "interval\n"
    "Exit codes:\n"
    "  0   measured; --compare: no row is slower, and each was decided\n"
    "  1   a job failed or hung; --compare: a row is slower than --limit\n"
    "  2   usage, or a file that is not a benchmark record\n"
    "  3   --compare: no row is slower, but one is undecided or missing on one side: more runs\n"
    "  77  no render node driven by panthor\n";

struct Options {
  std::string node;
  std::string only;
  std::string json;
  std::string clock = "auto";
  std::string pairing;
  std::vector<std::string> compare;
  double limit = 1.02;
  MeasureOptions measure;
  bool append = false;
  bool list = false;
  bool quiet = false;
};

/// Says what is going on once it has taken two seconds, and every two seconds from then on.
class Progress {
 public:
  void operator()(const std::string& what) {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < 2s) return;
    last_ = now;
    fmt::print(stderr, "bench: {}\n", what);
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int list(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows)
    fmt::print("{:<18} {:>4} a batch  {}\n", row.name, row.ops, row.description);
  return exit_good;
}

int compare_files(const Options& options) {
  const BenchRecord a = read_record(options.compare[0]), b = read_record(options.compare[1]);
  const Comparison comparison = compare(a, b, options.limit);
  print_comparison(a, b, comparison, options.limit);
  if (comparison.count(Verdict::slower) > 0) return exit_failed;
  const bool decided = comparison.count(Verdict::undecided) == 0 && comparison.count(Verdict::missing) == 0;
  return decided ? exit_good : exit_undecided;
}

BenchRecord describe_machine(const panthor::Device& device, const BenchClock& clock,
                             const std::string& pairing) {
  utsname system{};
  ::uname(&system);
  return {.clock = clock.name(),
          .kernel = system.release,
          .driver = to_string(device.version()),
          .gpu = fmt::format("{:#x}", device.gpu_info().gpu_id),
          .pairing = pairing,
          .runs = {}};
}

/// Before minutes of measuring, not after.
void need_folder_of(const std::string& file) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw CLI::ValidationError("--json", fmt::format("there is no directory {}", folder.string()));
}

int measure_here(const Options& options, const std::vector<BenchRow>& rows) {
  if (!options.json.empty()) need_folder_of(options.json);
  std::optional<BenchRecord> earlier;
  if (options.append && std::filesystem::exists(options.json)) earlier = read_record(options.json);
  const auto device = panthor::Device::open_path_or_first(options.node);
  const auto clock = make_bench_clock(options.clock);
  BenchRecord record = describe_machine(device, *clock, options.pairing);
  record.runs.push_back(measure(device, rows, *clock, options.measure));
  if (!options.quiet) print_run(record, record.runs.back());
  if (options.json.empty()) return exit_good;
  if (earlier) {
    append_runs(*earlier, std::move(record), options.json);
    record = std::move(*earlier);
  }
  write_record(options.json, record);
  return exit_good;
}

int bench(Options options) {
  if (!options.compare.empty()) return compare_files(options);
  const auto rows = bench_rows(options.only);
  if (rows.empty()) throw CLI::ValidationError("--only", "no row is called like that; --list shows them");
  if (options.list) return list(rows);
  options.measure.progress = Progress();
  return measure_here(options, rows);
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench", "What the driver's calls cost; two such measurements compared");
  command->footer(footer);
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_option("--only", options->only, "Rows whose name contains this");
  command->add_option("--rounds", options->measure.rounds, "Visits of every row, three batches each")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  command->add_flag("--list", options->list, "Tell the rows, measure nothing");
  CLI::Option* json = command->add_option("--json", options->json, "Write the measurement to this file");
  command->add_flag("--append", options->append, "Add a run to the file of --json")->needs(json);
  command
      ->add_option("--clock", options->clock,
                   "wall; guest-cpu: CPU time of the guest's kernel, in the lab; auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "wall", "guest-cpu"}));
  command->add_option("--pairing", options->pairing,
                      "Two files with the same text here were measured in turn, run by run");
  command->add_flag("--quiet", options->quiet, "No table");
  CLI::Option* compare = command->add_option("--compare", options->compare, "Two files: print ratios B/A")
                             ->expected(2)
                             ->type_name("A.json B.json");
  command->add_option("--limit", options->limit, "The ratio from which on a difference matters")
      ->needs(compare)
      ->capture_default_str()
      ->check(CLI::Range(1.0001, 100.0));
  command->callback([options, &exit_code] {
    try {
      exit_code = bench(*options);
    } catch (const RecordError& error) {
      fmt::print(stderr, "panthor-harness: {}\n", error.what());
      exit_code = exit_usage;
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("bench", error.what());
    }
  });
}

}  // namespace harness
