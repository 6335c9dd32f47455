// Moments from which on something acts in a run, and whether the run reaches them.
#pragma once

#include <string>
#include <vector>

#include "settings/moment.hpp"

namespace sim::scenario {

struct Resolving;
struct Scenario;

/// A stated moment from which on a change, a failure, traffic or local steps act.
struct StatedMoment {
  std::string key;    ///< "cluster.changes[0].at"
  std::string place;  ///< file:line:column
  settings::Moment at;
};

/// "30 s", "step 100", "epoch 2.5".
std::string describe_moment(const settings::Moment& at);

/// Moments that an arm states, and the first ones of its traces.
/// @param arm  resolved
std::vector<StatedMoment> moments_of(const Resolving& arm);

/// Whether training ends before the moment, as far as its length says: a moment in simulated time is unknown
/// until the run, and so is one in the other unit of a training whose steps differ in samples.
bool is_after_training(const settings::Moment& at, const Scenario& arm);

}  // namespace sim::scenario
