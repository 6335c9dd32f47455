// Orders the errors of arms.
#include "sim/scenario/arm_errors.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "sim/scenario/arms.hpp"

namespace sim::scenario {
namespace {

/// `file:line:column`; places without numbers come first.
struct Place {
  std::string_view source;
  int line = 0;
  int column = 0;
};

/// Takes the number after the last colon off the text; 0 where there is none.
int take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  int number = 0;
  if (colon == std::string_view::npos) return 0;
  const auto [end, failed] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return 0;
  text.remove_suffix(text.size() - colon);
  return number;
}

Place place_in(std::string_view where) {
  Place place{where};
  place.column = take_number(place.source);
  place.line = take_number(place.source);
  return place;
}

bool is_before(const netmodels::Error& one, const netmodels::Error& other) {
  const Place a = place_in(one.where);
  const Place b = place_in(other.where);
  const bool placed = a.line > 0;
  if (placed != (b.line > 0)) return !placed;
  return std::tie(a.source, a.line, a.column) < std::tie(b.source, b.line, b.column);
}

}  // namespace

void ArmErrors::add(const netmodels::Error& error, const std::string& arm) {
  add_one(error, arm);
  for (const netmodels::Error& other : error.more) add_one(other, arm);
}

void ArmErrors::add_at_new_places(const netmodels::Error& error, const std::string& arm) {
  std::vector<netmodels::Error> all{error};
  all.insert(all.end(), error.more.begin(), error.more.end());
  for (const netmodels::Error& one : all) {
    const auto is_told = [&](const Found& known) {
      return known.error.where == one.where && known.error.what != one.what;
    };
    if (std::ranges::none_of(found_, is_told)) add_one(one, arm);
  }
}

void ArmErrors::add_one(const netmodels::Error& error, const std::string& arm) {
  const auto same = [&](const Found& one) {
    return one.error.where == error.where && one.error.what == error.what;
  };
  const auto known = std::ranges::find_if(found_, same);
  if (known != found_.end()) {
    ++known->arms;
    return;
  }
  found_.push_back({error, arm, 1});
  found_.back().error.more.clear();
}

std::optional<netmodels::Error> ArmErrors::merged(std::size_t arms) const {
  if (found_.empty()) return std::nullopt;
  std::vector<netmodels::Error> errors;
  for (const Found& one : found_) {
    errors.push_back(one.error);
    if (one.arm != only_arm && (one.arms < arms || arms == 1))
      errors.back().what += fmt::format(" (in the arm `{}`)", one.arm);
  }
  std::ranges::stable_sort(errors, is_before);
  if (errors.size() > most_errors) {
    const std::size_t left = errors.size() - most_errors;
    errors.resize(most_errors);
    errors.push_back({{}, fmt::format("{} more {}", left, left == 1 ? "error" : "errors"), {}, {}, {}});
  }
  return netmodels::merge_errors(std::move(errors));
}

}  // namespace sim::scenario
