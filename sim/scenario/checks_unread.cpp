// Keys that an arm states and never reads.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/conflicts.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/resolved_facts.hpp"

namespace sim::scenario {
namespace {

using language::Value;
using settings::Capability;

bool is_set(const Value* value) { return value != nullptr && value->origin().source().starts_with("--set"); }

/// The value of a key, or of the map that is written as one word of it: `synchronisation: asp`.
const Value* find_written(const Value& tree, std::string_view key) {
  const Value* value = language::find_path(tree, key);
  if (value != nullptr || key.find('.') == std::string_view::npos) return value;
  const Value* map = language::find_path(tree, key.substr(0, key.rfind('.')));
  return map != nullptr && map->is_scalar() ? map : nullptr;
}

/// Whether the command line chose what decides on a capability.
bool is_set_by_key(Capability capability, const Value& tree) {
  const auto is_set_at = [&](std::string_view key) { return is_set(find_written(tree, key)); };
  if (const ResolvedFact* fact = find_fact(capability))
    return std::ranges::any_of(fact->decided_by, is_set_at);
  return std::ranges::any_of(declarations(), [&](const Declared& declared) {
    const settings::Demands& demands = declared.demands;
    const bool decides = demands.offers.contains(capability) || demands.denies.contains(capability);
    return decides && is_set_at(declared.path);
  });
}

/// Whether a key of the file, perhaps for another of several points of a sweep, is about something that the
/// command line decides. A key that is set as well is no such key.
bool is_decided_beside(const Conflict& conflict, const Value& tree) {
  return !is_set(language::find_path(tree, conflict.needing->path)) && is_set_by_key(conflict.missing, tree);
}

/// An arm that is looked through.
struct ReadArm {
  const std::vector<Feature>& features;
  const Value& tree;
};

/// Whether an arm that reads the key has it from the same place: the top of the file, a base, an axis.
bool is_shared(const Feature& feature, const Value& tree, const std::vector<ReadArm>& arms) {
  const std::string origin = language::find_path(tree, feature.path)->origin().text();
  return std::ranges::any_of(arms, [&](const ReadArm& arm) {
    if (!unread_conflicts(feature, arm.features).empty()) return false;
    const Value* other = language::find_path(arm.tree, feature.path);
    return other != nullptr && other->origin().text() == origin;
  });
}

/// The first capability that one key uses and that neither the arm has nor the command line decided.
std::vector<Conflict> find_unread(const ReadArm& arm, const std::vector<ReadArm>& arms) {
  std::vector<Conflict> found;
  for (const Feature& feature : arm.features) {
    if (feature.demands.uses.empty() || language::find_path(arm.tree, feature.path) == nullptr) continue;
    for (const Conflict& conflict : unread_conflicts(feature, arm.features)) {
      if (is_decided_beside(conflict, arm.tree) || is_shared(feature, arm.tree, arms)) continue;
      found.push_back(conflict);
      break;
    }
  }
  return found;
}

netmodels::Error error_of_fact(const ResolvedFact& fact, const Conflict& conflict, const Value& tree) {
  const Feature& key = *conflict.needing;
  const std::string_view needed = settings::facts_of(conflict.missing).needed;
  return {language::place_of(tree, key.path),
          fmt::format("{} needs {}; {}", key.label, needed, fact.why),
          fact.hint.empty() ? "leave it out" : fmt::format("leave it out, or {}", fact.hint),
          {{key.path, {}}},
          {}};
}

/// @param features  with other words of each key, as hints need them
netmodels::Error error_of(const Conflict& unread, const std::vector<Feature>& features, const Value& tree) {
  const auto key = std::ranges::find_if(features, [&](const Feature& feature) {
    return feature.path == unread.needing->path && !feature.demands.uses.empty();
  });
  for (const Conflict& conflict : unread_conflicts(*key, features)) {
    if (conflict.missing != unread.missing) continue;
    Remedies remedies = remedies_of(conflict, features);
    return {language::place_of(tree, key->path),
            describe_conflict(conflict),
            std::move(remedies.text),
            std::move(remedies.first),
            {}};
  }
  return {};
}

}  // namespace

netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<std::vector<Feature>>& features,
                                     const std::vector<Value>& trees) {
  std::vector<ReadArm> read;
  for (std::size_t i = 0; i < arms.size(); ++i) read.push_back({features[i], trees[i]});
  const std::vector<Conflict> found = find_unread(read[number], read);
  if (found.empty()) return {};
  Scenario arm = arms[number];
  std::vector<Feature> listed = features_of(arm, trees[number], OtherWords::listed);
  std::ranges::move(resolved_features(arm.work, arm.cluster, arm.exchange), std::back_inserter(listed));
  std::vector<netmodels::Error> errors;
  for (const Conflict& conflict : found) {
    const ResolvedFact* fact = find_fact(conflict.missing);
    errors.push_back(fact != nullptr ? error_of_fact(*fact, conflict, trees[number])
                                     : error_of(conflict, listed, trees[number]));
  }
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

}  // namespace sim::scenario
