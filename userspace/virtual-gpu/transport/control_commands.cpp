// SPDX-License-Identifier: MIT
#include "transport/control_commands.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace vgpu::transport {
namespace {

class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::vector<std::string_view> split(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string_view> words;
  for (size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const size_t end = line.find_first_of(blanks, at);
    words.push_back(line.substr(at, end - at));
    if (end == std::string_view::npos) break;
    at = end;
  }
  return words;
}

}  // namespace

struct ControlCommands::Table {
  using Words = std::vector<std::string_view>;
  using Function = void (*)(ControlCommands&, const Words&, std::string& answer);
  struct Row {
    std::string_view first, second;  ///< the words that select it; `second` may be empty
    size_t arguments;                ///< words that follow
    std::string_view usage, what;
    bool from_guest;
    Function function;
  };

  static void help(ControlCommands&, const Words&, std::string& answer);

  static void fault_list(ControlCommands& self, const Words&, std::string& answer) {
    for (const FaultKind& kind : fault_catalogue()) answer += catalogue_line(kind) + '\n';
    for (const FaultSpec& spec : self.faults_.armed())
      fmt::format_to(std::back_inserter(answer), "armed {} after={} count={} only={} ms={}\n", spec.name,
                     spec.after, spec.count, spec.only.empty() ? "-" : spec.only, spec.ms);
  }
  static void fault_arm(ControlCommands& self, const Words& words, std::string&) {
    self.faults_.arm(FaultSpec::parse(words[2]));
  }
  static void fault_disarm(ControlCommands& self, const Words& words, std::string&) {
    const FaultSpec spec = FaultSpec::parse(words[2]);  // an unknown name is an error
    self.faults_.disarm(spec.name);
  }
  static void mark(ControlCommands& self, const Words& words, std::string&) {
    self.log_.event("model.mark", "word={}", words[1]);
  }
  static void counters(ControlCommands& self, const Words&, std::string& answer) {
    for (const auto& [name, value] : self.log_.counters())
      fmt::format_to(std::back_inserter(answer), "counter {} {}\n", name, value);
    for (const auto& [what, count] : self.log_.unmodelled_accesses())
      fmt::format_to(std::back_inserter(answer), "unmodelled {} {}\n", count, what);
  }
  static void cputime(ControlCommands& self, const Words&, std::string& answer) {
    if (!self.hooks_.guest_cpu_ns) throw CommandError("there is no guest to ask");
    fmt::format_to(std::back_inserter(answer), "cputime {}\n", self.hooks_.guest_cpu_ns());
  }
  static void log(ControlCommands& self, const Words& words, std::string&) {
    if (words[1] != "on" && words[1] != "off") throw CommandError("log on, or log off");
    if (!self.hooks_.set_log) throw CommandError("this run has no event log");
    self.hooks_.set_log(words[1] == "on");
  }
  static void quit(ControlCommands& self, const Words&, std::string&) {
    if (!self.hooks_.quit) throw CommandError("cannot quit");
    self.hooks_.quit();
  }

  static constexpr auto rows() {
    return std::array{
        Row{"help", "", 0, "help", "the commands", true, help},
        Row{"fault", "list", 0, "fault list", "the catalogue, and what is armed", true, fault_list},
        Row{"fault", "arm", 1, "fault arm SPEC", "NAME[:only=WORD][:ms=N][:after=N][:count=N]", true,
            fault_arm},
        Row{"fault", "disarm", 1, "fault disarm NAME", "the fault does not happen any more", true,
            fault_disarm},
        Row{"mark", "", 1, "mark WORD", "a line of that word in the event log", true, mark},
        Row{"counters", "", 0, "counters", "what was counted so far", true, counters},
        Row{"cputime", "", 0, "cputime", "CPU time of the guest's kernel so far, in ns", true, cputime},
        Row{"log", "", 1, "log on|off", "the event log", true, log},
        Row{"quit", "", 0, "quit", "end the model", false, quit},
    };
  }
};

void ControlCommands::Table::help(ControlCommands&, const Words&, std::string& answer) {
  for (const Row& row : rows()) fmt::format_to(std::back_inserter(answer), "{:20} {}\n", row.usage, row.what);
}

std::string ControlCommands::execute(std::string_view line, Origin origin) {
  std::string answer;
  try {
    const auto words = split(line);
    if (words.empty()) throw CommandError("empty line; \"help\" lists the commands");
    for (const Table::Row& row : Table::rows()) {
      const size_t selectors = row.second.empty() ? 1 : 2;
      if (words[0] != row.first || (selectors == 2 && (words.size() < 2 || words[1] != row.second))) continue;
      if (words.size() != selectors + row.arguments) throw CommandError(fmt::format("usage: {}", row.usage));
      if (origin == Origin::guest && !row.from_guest) throw CommandError("not from inside the guest");
      row.function(*this, words, answer);
      return answer + "ok\n";
    }
    throw CommandError(fmt::format("unknown command \"{}\"; \"help\" lists the commands", words[0]));
  } catch (const std::exception& e) {
    return answer + fmt::format("error: {}\n", e.what());
  }
}

}  // namespace vgpu::transport
