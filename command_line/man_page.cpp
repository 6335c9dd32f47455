// Printing roff.
#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

/// As text: dashes are minus signs, no line is taken for a request, and lists may be broken after a comma.
std::string roff(const std::string& text) {
  std::string safe;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (line_begins && (letter == '.' || letter == '\'')) safe += "\\&";
    line_begins = letter == '\n';
    if (letter == '\\')
      safe += "\\e";
    else if (letter == '-')
      safe += "\\-";
    else
      safe += letter;
    if (letter == ',' && i + 1 < text.size() && text[i + 1] != ' ') safe += "\\:";
  }
  return safe;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

std::string paragraph_of(const Described& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (option.takes_value && !option.value.empty()) head += " \\fI" + roff(option.value) + "\\fR";
  std::string text = roff(option.text + (option.text.empty() || option.text.ends_with('.') ? "" : "."));
  if (!option.choices.empty())
    text += (text.empty() ? "" : "\n") + roff(fmt::format("Accepted: {}.", fmt::join(option.choices, ", ")));
  if (!option.standard.empty()) text += "\n" + roff("Default: " + option.standard + ".");
  return fmt::format(".TP\n{}\n{}\n", head, text.empty() ? "\\&" : text);
}

std::string synopsis(const DescribedCommand& command, const std::string& path) {
  std::string line = "\\fB" + roff(path) + "\\fR";
  if (!command.options.empty()) line += " [\\fIOPTION\\fR...]";
  if (!command.commands.empty()) line += " \\fICOMMAND\\fR";
  for (const Described& positional : command.positionals) {
    const std::string name =
        "\\fI" + roff(positional.names.front()) + "\\fR" + (positional.repeats ? "..." : "");
    line += positional.required ? " " + name : " [" + name + "]";
  }
  return line;
}

/// Lines printed verbatim: examples, exit codes.
std::string notes_of(const DescribedCommand& command) {
  if (command.notes.empty()) return "";
  return fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.notes));
}

/// The help option is the same everywhere and is listed once, with the program.
std::string options_of(const DescribedCommand& command, bool with_help) {
  std::string text;
  for (const Described& positional : command.positionals) text += paragraph_of(positional);
  for (const Described& option : command.options)
    if (with_help || option.names.back() != "--help") text += paragraph_of(option);
  return text;
}

void add_sections(const DescribedCommand& command, const std::string& path, std::string& page) {
  for (const DescribedCommand& below : command.commands) {
    const std::string here = path + " " + below.name;
    page += fmt::format(".SS {}\n{}\n.PP\n{}\n", roff(here), roff(below.text), synopsis(below, here));
    page += options_of(below, false) + notes_of(below);
    add_sections(below, here, page);
  }
}

}  // namespace

std::string man_page(const DescribedCommand& program, const std::string& version) {
  std::string page =
      fmt::format(".TH {} 1 \"\" \"gradsim {}\" \"User Commands\"\n", upper(program.name), version);
  const std::size_t project = program.text.find(": ");  // "gradsim: what it does"
  page += fmt::format(".SH NAME\n{} \\- {}\n", program.name,
                      roff(project == std::string::npos ? program.text : program.text.substr(project + 2)));
  page += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(program, program.name));
  page += ".SH OPTIONS\n" + options_of(program, true);
  page += ".SH COMMANDS\n";
  add_sections(program, program.name, page);
  page += ".SH NOTES\n" + notes_of(program);
  return page;
}

}  // namespace command_line
