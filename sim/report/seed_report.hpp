// Tables and JSON of several seeds: means with intervals, differences, and tiers.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// One row for each arm: time of a step, time of the run, accuracy and time to the target, each as a mean
/// with its 95 % interval; the time to the target as the median of the seeds that reach it, and how many do.
/// Empty where one seed was run.
std::string seeds_text(const SimulatedStudy& study);

/// Per arm each of these figures: mean, ends of the interval, and how many seeds have it. Empty where one
/// seed was run.
nlohmann::ordered_json seeds_json(const SimulatedStudy& study);

/// Every two arms that are compared in each figure of which both have at least two common seeds: the mean
/// difference of the other minus the arm with its 95 % interval, whether the interval excludes zero, and the
/// p-value of Student's paired test; all of this pair alone, not corrected for the number of pairs. With
/// more than eight arms, each against the first. Empty where one seed was run.
nlohmann::ordered_json seed_differences_json(const SimulatedStudy& study);

/// Of each compared figure and group of arms the tiers, best first: arms of a tier are not told apart as a
/// whole, and all are better than those of later tiers. Empty with fewer than five seeds.
nlohmann::ordered_json seed_tiers_json(const SimulatedStudy& study);

/// That one seed of a real training cannot name a winner; empty where that is not so.
std::string one_seed_note(const SimulatedStudy& study);

}  // namespace sim::report
