// SPDX-License-Identifier: MIT
#include "commands/man_page.hpp"

#include <algorithm>
#include <sstream>

namespace harness {
namespace {

/// Text of a line: backslashes and hyphens as they are, no request by a leading dot or quote.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// "--seed UINT=1", as in the program's own help.
std::string usage_of(const CLI::Option& option) {
  std::string text = "\\fB" + plain(option.get_name(option.get_positional(), true)) + "\\fR";
  if (option.get_items_expected_max() != 0 && !option.get_type_name().empty())
    text += " \\fI" + plain(option.get_type_name()) + "\\fR";
  if (!option.get_default_str().empty()) text += " (default " + plain(option.get_default_str()) + ")";
  return text;
}

void options_of(const CLI::App& command, std::ostringstream& out) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    out << ".TP\n" << usage_of(*option) << '\n' << plain(option->get_description()) << '\n';
  }
}

/// The footer with its line breaks: examples and exit codes.
void footer_of(const CLI::App& command, std::ostringstream& out) {
  if (command.get_footer().empty()) return;
  out << ".PP\n.nf\n";
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) out << plain(line) << '\n';
  out << ".fi\n";
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::ostringstream out;
  const std::string name = app.get_name();
  out << ".\\\" SPDX-License-Identifier: MIT\n.TH " << upper(plain(name)) << " 1\n.SH NAME\n"
      << plain(name) << " \\- " << plain(app.get_description()) << "\n.SH SYNOPSIS\n.B " << plain(name)
      << "\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    out << ".SS " << plain(command->get_name()) << '\n' << plain(command->get_description()) << '\n';
    options_of(*command, out);
    footer_of(*command, out);
  }
  out << ".SH EXIT STATUS\n";
  footer_of(app, out);
  out << ".SH SEE ALSO\n.BR git\\-bisect (1),\n.BR drm (7)\n";
  return out.str();
}

}  // namespace harness
