// Parses `C+S/N+G*N`.
#include "sim/inputs/worker_rule.hpp"

#include <charconv>
#include <cmath>

namespace sim::inputs {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Takes N and the sign before it from the end of a term: `/` of `8e6 / N`; '\0' where N is not its end.
char take_workers(std::string_view& text) {
  if (!text.ends_with('N')) return '\0';
  const std::string_view rest = without_blanks(text.substr(0, text.size() - 1));
  if (!rest.ends_with('/') && !rest.ends_with('*')) return '\0';
  text = without_blanks(rest.substr(0, rest.size() - 1));
  return rest.back();
}

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
  text = without_blanks(text);
  const char workers = take_workers(text);
  double* part = workers == '/' ? &rule.shared : workers == '*' ? &rule.each : &rule.constant;
  const auto size = parse_size(text);
  if (size) *part += sign * *size;
  return size.has_value();
}

}  // namespace

bool is_worker_rule(std::string_view text) { return text.find('N') != std::string_view::npos; }

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
