// Which policies a question is about, and every combination of them.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

// The policies to choose from where a question names none, and the meaning of a mere name.

/// `advice` with every list written out: names become maps, and a list that is left out becomes the
/// catalogue. Without a live learner it is unknown what local steps and policies that look at gradients
/// do, so the catalogue is then of bulk-synchronous training by fixed methods, without random-k, which keeps
/// too little of a gradient for anybody to assume that it costs no steps.
/// @param advice  a map
/// @param base    the training that is asked about
/// @param changes whether any of its networks changes with time
/// @returns the map, or an Error for a name that is not known
netmodels::Result<language::Value> write_out_catalogue(const language::Value& advice, const Scenario& base,
                                                       bool changes);

// Every combination of the policies that a question names, read as scenarios.

/// The base of all candidates.
struct PolicyGround {
  language::Value advice;               ///< with every list written out
  std::vector<language::Value> worlds;  ///< the training on each network, not yet read
};

/// Counts a combination under its reason: reasons that differ only in names in back quotes are
/// one.
void leave_out(std::vector<LeftOut>& left_out, const std::string& reason);

/// Reads all combinations, synchronisation first and batches last and fastest. One that cannot be simulated
/// on every network is left out.
/// @param question  gets candidates and omissions; its advice is read
/// @returns an Error where there are too many, or none is left
netmodels::Result<void> spread_policies(PolicyQuestion& question, const PolicyGround& ground,
                                        ArmReader& reader);

}  // namespace sim::scenario
