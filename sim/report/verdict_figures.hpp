// Times and costs of arms as verdicts write them.
#pragma once

#include <string>
#include <string_view>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// Words of the figure by which a study orders its arms.
struct ObjectiveWords {
  std::string_view spent;    ///< "time"
  std::string_view better;   ///< "Faster"
  std::string_view best;     ///< "fastest"
  std::string_view equal;    ///< "are equally fast"
  std::string_view as_much;  ///< "as long as"
};

const ObjectiveWords& words_of(const Comparison& comparison);

/// "113 ms per step"; "12.3 h in all" for unequal steps of as many samples in all, else "334.4 samples/s";
/// by cost "12.31 USD in all", or of unequal work "0.0312 USD per 1000 samples".
std::string spent_text(const Candidate& candidate, const Comparison& comparison);

/// "`dense` takes 113 ms per step", "`one` trains 334.4 samples/s", "`dense` costs 12.31 USD in all".
std::string takes_text(const Candidate& candidate, const Comparison& comparison);

/// "12.3 % less time than", "2.4 times as fast as", "12.3 % cheaper than".
std::string gain_over(const Candidate& best, const Candidate& other);

/// Gain of an arm that is better than `best`, over the times that compressing may take: "2.2 times", "1.7 to
/// 2.4 times", rounded down; by cost "by 12 %", "by 12 % to 15 %".
std::string gain_range(const Candidate& arm, const Candidate& best);

}  // namespace sim::report
