// Splits a text into facts and cells.
#include "learning/learners/record_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace learning::learners {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r";

/// Text without the blanks around it; an empty part of `text` where it is blank.
std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_key(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

/// A cell as an error shows it: not more than a line can bear.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  return std::string(cell.substr(0, most)) + (cell.size() > most ? "..." : "");
}

std::string accepted_range(double least, double most) {
  const bool is_open = least == std::numeric_limits<double>::min();
  const std::string from = is_open ? "above 0" : fmt::format("of at least {}", least);
  const std::string to = std::isinf(most) ? "" : fmt::format(" and at most {}", most);
  return "accepted: a number " + from + to;
}

}  // namespace

RecordLines::RecordLines(std::string_view text, std::string source)
    : rest_(text), source_(std::move(source)) {}

bool RecordLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    ++line_;
    line_begin_ = line.data();
    if (trimmed(line).empty()) continue;
    if (!line.starts_with('#')) {
      split(line);
      return true;
    }
    remember(line.substr(1));
  }
  return false;
}

void RecordLines::remember(std::string_view comment) {
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view key = trimmed(comment.substr(0, colon));
  if (is_key(key)) facts_.push_back({std::string(key), std::string(trimmed(comment.substr(colon + 1)))});
}

void RecordLines::split(std::string_view line) {
  cells_.clear();
  while (true) {
    const std::size_t comma = line.find(',');
    cells_.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    line = line.substr(comma + 1);
  }
}

std::string RecordLines::place() const { return fmt::format("{}:{}", source_, line_); }

std::string RecordLines::place(std::size_t cell) const {
  return fmt::format("{}:{}", place(), cells_[cell].data() - line_begin_ + 1);
}

Result<std::optional<double>> RecordLines::number(std::size_t cell, std::string_view name, double least,
                                                  double most) const {
  if (cells_[cell].empty()) return std::optional<double>();
  const auto value = read_finite(cells_[cell]);
  if (value && *value >= least && *value <= most) return value;
  return refuse(place(cell), fmt::format("`{}` is `{}`", name, shown(cells_[cell])),
                accepted_range(least, most));
}

std::optional<double> read_finite(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<std::string> required_fact(const std::vector<Fact>& facts, std::string_view key,
                                  const std::string& source) {
  const auto fact = std::ranges::find(facts, key, &Fact::key);
  if (fact != facts.end() && !fact->value.empty()) return fact->value;
  return refuse(source, fmt::format("the fact `{}` is missing", key),
                fmt::format("add a line `# {}: ...` above the table", key));
}

Result<long long> required_count(const std::vector<Fact>& facts, std::string_view key,
                                 const std::string& source) {
  constexpr double most = 1e15;
  GRADSIM_TRY(text, required_fact(facts, key, source));
  const auto value = read_finite(*text);
  if (value && *value >= 1 && *value <= most && *value == std::floor(*value))
    return static_cast<long long>(*value);
  return refuse(source, fmt::format("the fact `{}` is `{}`", key, shown(*text)),
                "accepted: a whole number of at least 1");
}

}  // namespace learning::learners
