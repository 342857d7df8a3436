// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "commands/commands.hpp"
#include "commands/hang.hpp"
#include "commands/man_page.hpp"
#include "exit_code.hpp"

int main(int argc, char** argv) {
  CLI::App app("Exercises the panthor DRM driver through libpanthor.", "panthor-harness");
  app.footer(harness::exit_code_help);
  app.require_subcommand(1);
  int exit_code = harness::exit_good;
  harness::add_info(app, exit_code);
  harness::add_doctor(app, exit_code);
  harness::add_autopsy(app, exit_code);
  harness::add_smoke(app, exit_code);
  harness::add_load(app, exit_code);
  harness::add_ladder(app, exit_code);
  harness::add_stress(app, exit_code);
  harness::add_heap(app, exit_code);
  harness::add_fit(app, exit_code);
  harness::add_bench(app, exit_code);
  harness::add_record(app, exit_code);
  harness::add_replay(app, exit_code);
  harness::add_hang_job(app, exit_code);
  harness::add_hang(app, exit_code);
  harness::add_hang_case(app, exit_code);
  harness::add_hang_report(app, exit_code);
  for (CLI::App* command : app.get_subcommands({}))
    if (command->get_footer().empty()) command->footer(harness::exit_code_help);

  // For the build: no command, and not in the help.
  if (argc == 2 && std::string_view(argv[1]) == "--man-page") {
    fmt::print("{}", harness::man_page(app));
    return harness::exit_good;
  }
  const auto named = [argv](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc >= 2 && argv[1][0] != '-' && app.get_subcommands(named).empty()) {
    fmt::print(stderr, "panthor-harness: no command {} (panthor-harness --help lists them)\n", argv[1]);
    return harness::exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? harness::exit_good : harness::exit_usage;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "panthor-harness: {}\n", error.what());
    return error.code().value() == ENODEV ? harness::exit_no_device : harness::exit_failed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "panthor-harness: {}\n", error.what());
    return harness::exit_failed;
  }
  return exit_code;
}
