// The known name that a mistyped one most probably meant.
#include "netmodels/nearest.hpp"

#include <algorithm>
#include <vector>

namespace netmodels {
namespace {

/// Letters in lower case, and `_` for other separators of words.
std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return result;
}

/// The first known name that contains this.
std::optional<std::string_view> find_containing(std::string_view part,
                                                std::span<const std::string_view> known) {
  for (const std::string_view candidate : known) {
    if (folded(candidate).find(part) != std::string::npos) return candidate;
  }
  return std::nullopt;
}

/// Begin of each word of a folded name, and one past its end and separator.
std::vector<std::size_t> word_bounds(std::string_view name) {
  std::vector<std::size_t> bounds{0};
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_') bounds.push_back(i + 1);
  }
  bounds.push_back(name.size() + 1);
  return bounds;
}

/// The first known name that contains most of the words of a folded name, the longest run of them first.
std::optional<std::string_view> find_by_words(std::string_view name,
                                              std::span<const std::string_view> known) {
  constexpr std::size_t shortest = 4;  // characters that are worth a guess
  const std::vector<std::size_t> bounds = word_bounds(name);
  const std::size_t words = bounds.size() - 1;
  for (std::size_t count = words - 1; 2 * count > words; --count) {
    for (std::size_t first = 0; first + count <= words; ++first) {
      const std::string_view part = name.substr(bounds[first], bounds[first + count] - 1 - bounds[first]);
      if (part.size() < shortest) continue;
      if (const auto found = find_containing(part, known)) return found;
    }
  }
  return std::nullopt;
}

/// Longer than any name of ours; keeps a long wrong value from costing quadratic time.
constexpr std::size_t longest = 100;

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = folded(first);
  const std::string b = folded(second);
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
  const std::string wanted = folded(name);
  if (const auto whole = find_containing(wanted, known)) return whole;
  return find_by_words(wanted, known);
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

std::vector<Change> nearest_change(std::string_view name, std::span<const std::string_view> known) {
  if (known.empty()) return {};
  return {{{}, std::string(nearest(name, known).value_or(known.front()))}};
}

}  // namespace netmodels
