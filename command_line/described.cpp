// Reading CLI11's tree.
#include "command_line/described.hpp"

#include <sstream>
#include <string_view>

namespace command_line {
namespace {

/// CLI11 names a type with the list of accepted values: "NAME:{table,csv}".
struct ParsedType {
  std::string value;
  std::vector<std::string> choices;
};

ParsedType parse_type(const std::string& type) {
  ParsedType parsed;
  const std::size_t list = type.find(":{");
  parsed.value = type.substr(0, list);
  if (list == std::string::npos) return parsed;
  std::istringstream choices(type.substr(list + 2, type.find('}', list) - list - 2));
  for (std::string choice; std::getline(choices, choice, ',');) parsed.choices.push_back(choice);
  return parsed;
}

Described describe(const CLI::Option& option) {
  Described described;
  if (option.get_positional()) {
    described.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  }
  described.takes_value = option.get_items_expected_max() > 0;
  if (described.takes_value) {
    ParsedType type = parse_type(option.get_type_name());
    described.value = std::move(type.value);
    described.choices = std::move(type.choices);
    described.standard = option.get_default_str();
  }
  described.text = option.get_description();
  described.required = option.get_required();
  described.repeats = option.get_items_expected_max() > 1 ||
                      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return described;
}

}  // namespace

DescribedCommand describe(const CLI::App& program) {
  DescribedCommand described{program.get_name(), program.get_description(), program.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : program.get_options([](const CLI::Option*) { return true; })) {
    auto& list = option->get_positional() ? described.positionals : described.options;
    list.push_back(describe(*option));
  }
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    described.commands.push_back(describe(*command));
  return described;
}

}  // namespace command_line
