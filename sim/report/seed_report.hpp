// What many seeds of a study show: means with intervals, and which differences are more than chance.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// One row for each arm: time of a step, time of the run, accuracy and time to the target, each as a mean
/// with its 95 % interval; the time to the target as the median of the seeds that reach it, and how many do.
/// Empty where one seed was run.
std::string seeds_text(const SimulatedStudy& study);

/// Differences between the best arm and the next, paired by seed: a winner is named only where the interval
/// of the difference excludes zero, else how many seeds would show a difference of 5 %. First the times to
/// the target, then the accuracy, or without a learner the time per sample. With axes, arms are compared that
/// differ along one axis only, as `comparisons` takes it. That seeds agree where they do; else empty where
/// one seed was run.
std::vector<std::string> seed_verdicts(const SimulatedStudy& study);

/// Per arm each of these figures: mean, ends of the interval, and how many seeds have it. Empty where one
/// seed was run.
nlohmann::ordered_json seeds_json(const SimulatedStudy& study);

/// Every two arms that are compared in each figure of which both have at least two common seeds: the mean
/// difference of the other minus the arm with its 95 % interval, and whether the interval excludes zero. With
/// more than eight arms, each against the first. Empty where one seed was run.
nlohmann::ordered_json seed_differences_json(const SimulatedStudy& study);

/// That one seed of a real training cannot name a winner; empty where that is not so.
std::string one_seed_note(const SimulatedStudy& study);

}  // namespace sim::report
