// The known name that a mistyped one most probably meant.
#include "netmodels/nearest.hpp"

#include <algorithm>
#include <vector>

namespace netmodels {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Longer than any name of ours; keeps a long wrong value from costing quadratic time.
constexpr std::size_t longest = 100;

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first);
  const std::string b = lower(second);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > longest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3);
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool closer = best ? distance < best_distance : distance <= best_distance;
    if (closer && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best || name.size() < 2) return best;
  const std::string wanted = lower(name);
  for (const std::string_view candidate : known) {
    if (lower(candidate).find(wanted) != std::string::npos) return candidate;
  }
  return std::nullopt;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  const auto guess = nearest(name, known);
  return guess ? "did you mean `" + std::string(*guess) + "`?" : std::string();
}

std::string join(std::span<const std::string_view> names, std::string_view separator) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

std::string accepted_names(std::string_view name, std::span<const std::string_view> known) {
  const std::string guess = suggestion(name, known);
  return (guess.empty() ? "" : guess + " ") + "accepted: " + join(known);
}

}  // namespace netmodels
