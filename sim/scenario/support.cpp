// Compares every declaration with every other.
#include "sim/scenario/support.hpp"

#include <algorithm>

namespace sim::scenario {
namespace {

using settings::CapabilityRow;

bool owns(const Declared& row, const Declared& setting) {
  return std::ranges::find(setting.owners, row.label) != setting.owners.end();
}

/// Whether rows of one key, with their settings, are all that offers it, and this row does not.
bool only_others_offer(settings::Capability capability, const Declared& row) {
  const auto offers = [&](const Declared& one) { return one.demands.offers.contains(capability); };
  const auto is_of_rows = [&](const Declared& one) {
    return std::ranges::any_of(declarations(), [&](const Declared& other) {
      return other.is_word && other.path == row.path && (one.label == other.label || owns(other, one));
    });
  };
  return std::ranges::all_of(declarations(), [&](const Declared& one) {
    if (!offers(one)) return true;
    return is_of_rows(one) && one.label != row.label && !owns(row, one);
  });
}

/// Whether `one` needs something that it cannot have beside `other`.
bool lacks(const Declared& one, const Declared& other) {
  return std::ranges::any_of(settings::capabilities(), [&](const CapabilityRow& row) {
    if (!one.demands.needs.contains(row.capability)) return false;
    if (other.demands.denies.contains(row.capability)) return true;
    return row.only_offered && other.is_word && one.path != other.path && !owns(other, one) &&
           only_others_offer(row.capability, other);
  });
}

/// Words of one key, of which a scenario states one.
bool are_alternatives(const Declared& one, const Declared& other) {
  return one.is_word && other.is_word && one.path == other.path;
}

}  // namespace

bool exclude_each_other(const Declared& one, const Declared& other) {
  return &one != &other && !are_alternatives(one, other) && (lacks(one, other) || lacks(other, one));
}

std::vector<SupportRow> support_rows() {
  std::vector<SupportRow> rows;
  for (const Declared& one : declarations()) {
    SupportRow row{.setting = one.label, .needs = {}, .excludes = {}};
    for (const CapabilityRow& capability : settings::capabilities())
      if (one.demands.needs.contains(capability.capability)) row.needs.emplace_back(capability.needed);
    for (const Declared& other : declarations())
      if (exclude_each_other(one, other)) row.excludes.push_back(other.label);
    if (!row.needs.empty() || !row.excludes.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sim::scenario
