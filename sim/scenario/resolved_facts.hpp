// Capabilities of a run by its resolved values, which no single key states: layers, files, libraries,
// execution.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "settings/demands.hpp"
#include "sim/scenario/features.hpp"

namespace sim::scenario {

struct Scenario;

/// A capability that only resolved values offer, and what to say where they do not.
struct ResolvedFact {
  settings::Capability capability;
  std::string_view why;                          ///< after what is needed: "the workload has none"
  std::string_view hint;                         ///< after "leave it out, or "; empty: nothing helps
  std::span<const std::string_view> decided_by;  ///< keys
};

/// @returns the row, or null: settings declare what offers or denies it
const ResolvedFact* find_fact(settings::Capability capability);

/// Offers of the resolved values of an arm, as settings without a label: those of the run at no path, those
/// of a fabric at its own.
std::vector<Feature> resolved_features(const Work& work, const Cluster& cluster, const Exchange& exchange);

}  // namespace sim::scenario
