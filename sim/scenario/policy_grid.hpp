// Every combination of the policies that a question names, read as scenarios.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/arm_reader.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// What all candidates are laid over.
struct PolicyGround {
  Value advice;               ///< with every list written out
  std::vector<Value> worlds;  ///< the training on each network, not yet read
};

/// Counts a combination under its reason: reasons that differ in names only, which stand in back quotes, are
/// one.
void leave_out(std::vector<LeftOut>& left_out, const std::string& reason);

/// Reads all combinations, synchronisation first and batches last and fastest. One that cannot be played on
/// every network is left out.
/// @param question  gets candidates and what was left out; its advice is read
/// @returns an Error where there are too many, or none is left
netmodels::Result<void> spread_policies(PolicyQuestion& question, const PolicyGround& ground,
                                        ArmReader& reader);

}  // namespace sim::scenario
