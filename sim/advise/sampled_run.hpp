// The part of a training that is played in place of all of it.
#pragma once

#include <cstdint>
#include <optional>

#include "netmodels/quantity.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

/// What to play, and how far.
struct SampledRun {
  scenario::Scenario scenario;               ///< without a learner, as many steps as are played at most
  std::optional<netmodels::Seconds> period;  ///< only steps that begin before this count: a whole period of
                                             ///< the network; nothing: all steps count
};

/// A training of `whole` steps, of which `steps` are played:
///
///   the network stays as it is:       the first steps, which are like all others;
///   it changes at stated moments:     at least 2000, the moments scaled by played / whole, so that each
///   state
///                                     lasts the same share of the training;
///   it repeats itself (a period):     as many as one period holds, at most 5000; a longer period is
///   shortened
///                                     to so many, which changes the network faster and by the same shares;
///                                     where steps turn out shorter than `step`, more are played, to the end
///                                     of the period, at most 500000;
///   both:                             as for stated moments, periods scaled too.
///
/// @param whole  steps, at least 1
/// @param steps  wanted, at least 1
/// @param step   what a step takes, roughly; for the number of steps in a period
/// Leaves out: what follows from the order of states in time beyond their shares.
SampledRun sampled_run_of(const scenario::Scenario& training, double whole, std::int64_t steps,
                          netmodels::Seconds step);

}  // namespace sim::advise
