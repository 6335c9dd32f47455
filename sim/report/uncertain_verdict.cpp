// Finds the time of compressing at which the winner changes.
#include "sim/report/uncertain_verdict.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "sim/report/compression_origin.hpp"
#include "sim/report/cost.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

using engine::CompressionCost;
using netmodels::Seconds;
using scenario::CostLevel;
using scenario::tie;

/// Spending per sample if compressing takes the least, or the most, that is possible.
double at_end(const Candidate& candidate, bool slow) {
  const CompressionCost* cost = candidate.cost();
  const double samples = samples_per_step(candidate);
  if (slow && has_least_time_only(candidate)) return std::numeric_limits<double>::infinity();
  if (cost == nullptr) return spent_per_sample(candidate);
  return (candidate.step_time_at(slow ? *cost->most : cost->least) + candidate.outside()).count / samples *
         weight_of_second(*candidate.arm);
}

/// Time per sample with which an arm spends as much as the other.
Seconds equal_time(const Candidate& arm, const Candidate& other) {
  return Seconds{spent_per_sample(other) / weight_of_second(*arm.arm)};
}

/// "faster", "cheaper".
std::string_view better_word(const Candidate& arm) {
  return decides_by_cost(*arm.arm) ? "cheaper" : "faster";
}

/// The time of compressing from which on the candidate spends as much as the other.
Seconds break_even(const Candidate& fast, const Candidate& other) {
  const CompressionCost& cost = *fast.cost();
  const auto own = [&](Seconds compressing) {
    return (fast.step_time_at(compressing) + fast.outside()).count / samples_per_step(fast);
  };
  const Seconds equal = equal_time(fast, other);
  const Seconds longest = equal * samples_per_step(fast);
  Seconds low = cost.least;
  Seconds high = cost.most.value_or(cost.assumed + longest);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const Seconds middle = (low + high) / 2;
    (own(middle) < equal.count ? low : high) = middle;
  }
  return low;
}

std::string two_digits(Seconds time) { return netmodels::print(time, 2); }

/// "29 ms to 440 ms were published for PyTorch" or "... measured in PyTorch"
std::string published_text(const Candidate& candidate) {
  const CompressionCost& cost = *candidate.cost();
  return fmt::format("{} to {} were {}", two_digits(*cost.least_published), two_digits(*cost.most),
                     describe_stack(candidate.arm->scenario->exchange.compression.framework));
}

/// What is known of the time, behind a semicolon.
std::string known_text(const Candidate& candidate) {
  const CompressionCost& cost = *candidate.cost();
  const bool published = cost.least_published && cost.most;
  if (cost.level == CostLevel::unknown) return "its time is not stated, measured or published";
  if (cost.level == CostLevel::kernels)
    return fmt::format("measured kernels take {} to {}", two_digits(cost.least), two_digits(*cost.most));
  if (cost.level == CostLevel::floor && cost.least == Seconds{})  // no floor of a device is 0
    return "0 s is stated, as a bound" + (published ? "; " + published_text(candidate) : std::string{});
  const bool has_floor = !published || cost.least < *cost.least_published;
  std::string text = has_floor ? "its floor is " + two_digits(cost.least) : "";
  if (!published) return text + ", and no time of it is stated, measured or published";
  return text + (text.empty() ? "" : ", and ") + published_text(candidate);
}

/// The part of an arm's steps that compress what they exchange.
double share_compressed(const engine::PhaseResult& phase) {
  std::int64_t steps = 0;
  for (const auto& [method, count] : phase.methods)
    steps += method.empty() || method == kernels::Method().name() ? 0 : count;
  return static_cast<double>(steps) / static_cast<double>(phase.steps);
}

/// Of an arm whose steps differ. A second more of compressing makes a step that compresses at most a second
/// longer, so that it is faster up to the time that is named, and perhaps beyond.
std::string by_exchange(const Candidate& arm, const Candidate& best) {
  const bool floor = arm.arm->result.compression_level == CostLevel::floor;
  const double share = share_compressed(*arm.phase);
  if (share == 0)
    return fmt::format("`{}` is {} than `{}` if compressing takes {}", arm.name(), better_word(arm),
                       best.name(),
                       floor ? "only its floor, and no time of it is stated, measured or published"
                             : "no time at all: its time is not stated, measured or published");
  const Seconds exposed = arm.phase->parts.compress / share;
  const Seconds room = equal_time(arm, best) * samples_per_step(arm) - (arm.step_time() + arm.outside());
  return fmt::format(
      "`{}` is {} than `{}` if compressing takes less than {} for each exchange; {} is "
      "stated, measured or published",
      arm.name(), better_word(arm), best.name(), two_digits(exposed + room / share),
      floor ? "only its floor is known, and no time of it" : "no time of it");
}

}  // namespace

SpentPerSample range_per_sample(const Candidate& candidate) {
  return {at_end(candidate, false), at_end(candidate, true)};
}

Standing standing(const Candidate& arm, const Candidate& best) {
  const double time = spent_per_sample(best);
  if (at_end(arm, false) * (1 + tie) >= time) return Standing::no_better;
  return at_end(arm, true) * (1 + tie) < time ? Standing::better : Standing::depends;
}

bool has_least_time_only(const Candidate& candidate) {
  if (candidate.cost() != nullptr) return !candidate.cost()->most;
  const CostLevel level = candidate.arm->result.compression_level;
  return level == CostLevel::floor || level == CostLevel::unknown;
}

std::string condition_text(const Candidate& arm, const Candidate& best) {
  if (arm.cost() == nullptr) return by_exchange(arm, best);
  return fmt::format("`{}` is {} than `{}` if compressing takes less than {}; {}", arm.name(),
                     better_word(arm), best.name(), two_digits(break_even(arm, best)), known_text(arm));
}

std::string assumed_text(const Candidate& candidate) {
  const CompressionCost* cost = candidate.cost();
  if (cost == nullptr || cost->level != CostLevel::framework) return "";
  return fmt::format("compressing is assumed to take {}: {}", two_digits(cost->assumed),
                     published_text(candidate));
}

}  // namespace sim::report
