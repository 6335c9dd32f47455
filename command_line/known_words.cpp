// Compares a word with those that are accepted.
#include "command_line/known_words.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "netmodels/nearest.hpp"

namespace command_line {
namespace {

std::string problem_of(const std::string& word, const std::vector<std::string>& names) {
  if (std::ranges::find(names, word) != names.end()) return "";
  const std::vector<std::string_view> known(names.begin(), names.end());
  return "unknown value `" + word + "`; " + netmodels::accepted_names(word, known);
}

}  // namespace

CLI::Validator known_words(std::vector<std::string> names) {
  // CLI11 prints a description in braces, with commas, as the list of values: help and completions read it.
  const std::string list = netmodels::join(std::vector<std::string_view>(names.begin(), names.end()), ",");
  return {[names = std::move(names)](std::string& word) { return problem_of(word, names); },
          "{" + list + "}"};
}

}  // namespace command_line
