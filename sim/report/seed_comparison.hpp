// Arms compared on common seeds: groups, tests of all pairs, and tiers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/seed_figures.hpp"
#include "sim/report/seed_statistics.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Arms that differ along the compared axis only; without axes all arms.
struct SeedGroup {
  std::string where;  ///< the values of the other axes; empty: there are none
  std::vector<const SimulatedArm*> arms;
};

/// In the order of their first arms.
std::vector<SeedGroup> groups_of(const SimulatedStudy& study);

/// A figure in which arms are compared, and its words.
struct SeedQuestion {
  const SeedFigure* figure;
  std::string_view what;    ///< "time per sample"
  std::string_view better;  ///< "less"
  double sign;              ///< 1 where less is better, -1 where more is
  bool relative;            ///< in percent of the other arm's mean; false: in percentage points
  std::string_view worth;   ///< the difference that a study should be able to show
  double worth_size;        ///< the same, as a number
};

/// An arm and its values over the seeds.
struct SeedArm {
  const SimulatedArm* arm;
  BySeed values;

  [[nodiscard]] const std::string& name() const { return arm->result.name; }
  [[nodiscard]] bool in_every_seed() const;
};

/// One arm against another. Where both have a value in every seed, `gains` are compared with 0 by a paired
/// t-test; else (a target is missed) the seeds in which an arm is ahead are counted, by a sign test.
struct SeedPair {
  std::vector<double> gains;  ///< of the one, for each seed; relative, or in the unit of the figure
  std::size_t ahead = 0;      ///< seeds in which the one reaches the target sooner
  std::size_t decided = 0;    ///< seeds in which one of the two reaches it
  double p = 1;               ///< of this pair alone
  bool one_leads = false;
};

SeedPair pair_of(const SeedArm& one, const SeedArm& other, const SeedQuestion& question);

/// The arms of a group in one question.
struct SeedComparison {
  std::string where;             ///< as in the group
  const SimulatedArm* baseline;  ///< the first arm of the group
  const SeedQuestion* question;
  std::vector<SeedArm> arms;                    ///< at least 2, the best first
  std::vector<std::vector<double>> p;           ///< [one][other], corrected for all pairs of the question
  std::size_t pairs = 0;                        ///< of the question, in all groups
  BetterThan better;                            ///< told apart at 5 %; none with fewer than 5 seeds
  std::vector<std::vector<std::size_t>> tiers;  ///< places in `arms`
};

/// Of each group: first the time to the target, then the accuracy, or without a learner the time per sample.
/// All pairs of a question, in all groups, are one family: where no two arms differ, at most 5 % of studies
/// name a better one.
/// @param study  with at least two seeds
std::vector<SeedComparison> seed_comparisons(const SimulatedStudy& study);

}  // namespace sim::report
