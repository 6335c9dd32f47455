// Parses `C+S/N+G*N`.
#include "sim/inputs/worker_rule.hpp"

#include <charconv>
#include <cmath>

namespace sim::inputs {
namespace {

constexpr std::string_view shared_end = "/N";
constexpr std::string_view each_end = "*N";

/// A number of at least 0; nothing for another text.
std::optional<double> parse_size(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

/// Length of the first term of a sum, whose sign is not that of an exponent.
std::size_t term_length(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool exponent = text[i - 1] == 'e' || text[i - 1] == 'E';
    if ((text[i] == '+' || text[i] == '-') && !exponent) return i;
  }
  return text.size();
}

/// Adds a term, without its sign; false where it is none.
bool add_term(std::string_view text, double sign, WorkerRule& rule) {
  double* part = &rule.constant;
  if (text.ends_with(shared_end)) part = &rule.shared;
  if (text.ends_with(each_end)) part = &rule.each;
  if (part != &rule.constant) text.remove_suffix(shared_end.size());
  const auto size = parse_size(text);
  if (size) *part += sign * *size;
  return size.has_value();
}

}  // namespace

bool is_worker_rule(std::string_view text) {
  return text.find(shared_end) != std::string_view::npos || text.find(each_end) != std::string_view::npos;
}

std::optional<WorkerRule> parse_worker_rule(std::string_view text) {
  if (!is_worker_rule(text)) return std::nullopt;
  WorkerRule rule;
  for (double sign = 1;;) {
    const std::size_t length = term_length(text);
    if (!add_term(text.substr(0, length), sign, rule)) return std::nullopt;
    text.remove_prefix(length);
    if (text.empty()) break;
    sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
  }
  const bool positive = rule.constant >= 0 && rule.each >= 0 && rule.constant + rule.shared >= 0;
  return positive ? std::optional(rule) : std::nullopt;
}

}  // namespace sim::inputs
