// Which settings of an arm exclude each other, and what to write in their place: from their declarations
// alone.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "settings/demands.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/features.hpp"

namespace sim::scenario {

/// A setting that lacks what it needs, or what it uses.
struct Conflict {
  const Feature* needing = nullptr;
  settings::Capability missing = {};
  const Feature* denying = nullptr;  ///< what rules it out, or a word of whose key another would offer it;
                                     ///< null: nothing that is stated could
  bool is_unread = false;            ///< the setting lacks what it uses: nothing would read it
};

/// Every conflict, in the order of the features; several settings that rule out the same are one.
/// @param features  outlive the result
std::vector<Conflict> conflicts_of(const std::vector<Feature>& features);

/// Capabilities that one setting uses and the arm lacks, in the order of the capabilities.
/// @param feature   of the arm, or the same key of another arm
/// @param features  as above, with what resolved values offer
std::vector<Conflict> unread_conflicts(const Feature& feature, const std::vector<Feature>& features);

/// "`learner.record` needs the same workers during the whole run; `cluster.absences` lets workers leave".
std::string describe_conflict(const Conflict& conflict);

/// What a file may state, in words and as the change that is named first.
struct Remedies {
  std::string text;
  std::vector<netmodels::Change> first;
};

/// What a file may state in place of one of the two settings, so that this conflict is gone and no other has
/// come; where no such word exists, words that make another: "write `synchronisation: bsp`, or leave out
/// `cluster.failures`". Of a setting that nothing would read: "leave it out, or write `synchronisation:
/// bsp`".
Remedies remedies_of(const Conflict& conflict, const std::vector<Feature>& features);

/// Refuses each conflict with its place, but for those that share a setting with one before.
netmodels::Result<void> check_conflicts(const std::vector<Feature>& features, const language::Value& tree);

}  // namespace sim::scenario
