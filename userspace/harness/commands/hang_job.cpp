// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "jobs/hang_jobs.hpp"

namespace harness {
namespace {

struct Options {
  std::string node;
  std::string kind;
  double seconds = 60;
  bool list = false;
};

int hang_job(const Options& options) {
  const auto jobs = hang_jobs();
  if (options.list || options.kind.empty()) {
    for (const HangJob& job : jobs)
      fmt::print("{:<12} {}  {}\n", job.name, stage_name(job.stage), job.description);
    return options.list ? exit_good : exit_usage;
  }
  const auto job = std::ranges::find(jobs, options.kind, &HangJob::name);
  if (job == jobs.end())
    throw CLI::ValidationError("KIND", fmt::format("no job is named \"{}\"; see --list", options.kind));
  const auto patience =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.seconds));
  const bool signalled = job->run(options.node, patience, [&] {
    fmt::print("{}: process {} waits for at most {:g} s\n", job->name, ::getpid(), options.seconds);
    std::fflush(stdout);
  });
  fmt::print("{}: {}\n", job->name, signalled ? "its fence signalled" : "its fence did not signal");
  return signalled ? exit_good : exit_failed;
}

}  // namespace

void add_hang_job(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("hang-job", "Submit a job that hangs, for `autopsy` to look at");
  command->group("");  // not for every day: it makes the GPU unusable for up to the driver's job timeout
  command->add_option("kind", options->kind, "Which job");
  command->add_option("--device", options->node, "Render node (default: the first one driven by panthor)");
  command->add_option("--seconds", options->seconds, "How long to wait for its fence")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_flag("--list", options->list, "Print the jobs and the stage each stops at");
  command->callback([options, &exit_code] { exit_code = hang_job(*options); });
}

}  // namespace harness
