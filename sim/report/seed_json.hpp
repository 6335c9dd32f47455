// JSON of several seeds: means with intervals, differences, and tiers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Per arm each figure of the table of seeds: mean, ends of the interval, and how many seeds have it. Empty
/// where one seed was run.
nlohmann::ordered_json seeds_json(const SimulatedStudy& study);

/// Every two arms that are compared in each figure of which both have at least two common seeds: the mean
/// difference of the other minus the arm with its 95 % interval, whether the interval excludes zero, and the
/// p-value of Student's paired test; all of this pair alone, not corrected for the number of pairs. With
/// more than eight arms, each against the first. Empty where one seed was run.
nlohmann::ordered_json seed_differences_json(const SimulatedStudy& study);

/// Of each compared figure and group of arms the tiers, best first: arms of a tier do not differ as a
/// whole, and all are better than those of later tiers. Empty with fewer than five seeds.
nlohmann::ordered_json seed_tiers_json(const SimulatedStudy& study);

}  // namespace sim::report
