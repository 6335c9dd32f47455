// Compares arms at the lowest, the usual and the highest goodput.
#include "sim/report/goodput_verdict.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/report/comparison.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

using engine::GoodputSteps;
using netmodels::Seconds;
using scenario::FabricRange;

/// One end of the range, or its middle.
struct GoodputPoint {
  Seconds GoodputSteps::*time;
  netmodels::LinkState FabricRange::*link;
};

constexpr std::array goodput_points{GoodputPoint{&GoodputSteps::low, &FabricRange::low},
                                    GoodputPoint{&GoodputSteps::mid, &FabricRange::mid},
                                    GoodputPoint{&GoodputSteps::high, &FabricRange::high}};

Seconds time_at(const Candidate& candidate, const GoodputPoint& point) {
  return (*candidate.arm->goodput).*point.time;
}

/// The fastest at this goodput; the one at the usual goodput where it is as fast.
const Candidate& winner_at(const Comparison& comparison, const GoodputPoint& point, const Candidate* usual) {
  const auto time = [&](const Candidate& candidate) { return time_at(candidate, point); };
  const Candidate& best = *std::ranges::min_element(comparison.candidates, {}, time);
  return usual != nullptr && time(*usual) <= time(best) * (1 + scenario::tie) ? *usual : best;
}

/// Whole runs whose arms all have steps over the range of one fabric.
bool has_goodput_range(const Comparison& comparison) {
  return std::ranges::all_of(comparison.candidates, [](const Candidate& candidate) {
    return candidate.arm->goodput.has_value() && candidate.phase == &candidate.arm->result.whole;
  });
}

/// Empty where one arm wins over the whole range.
std::string sentence_on(const Comparison& comparison) {
  const FabricRange& range = *comparison.candidates.front().arm->scenario->cluster.link_range;
  const Candidate& usual = winner_at(comparison, goodput_points[1], nullptr);
  bool depends = false;
  std::string winners;
  for (const GoodputPoint& point : goodput_points) {
    const Candidate& winner = winner_at(comparison, point, &usual);
    depends = depends || &winner != &usual;
    constexpr int digits = 4;
    winners += fmt::format("{}at {} `{}`", winners.empty() ? "" : ", ",
                           netmodels::print((range.*point.link).bandwidth, digits), winner.name());
  }
  if (!depends) return "";
  return fmt::format("{}{}the arm with the least time per sample depends on the goodput: {} ({}).",
                     comparison.where, comparison.where.empty() ? "" : ": ", winners, range.name);
}

}  // namespace

std::vector<std::string> goodput_verdicts(const SimulatedStudy& study) {
  constexpr std::size_t most_sentences = 8;
  std::vector<std::string> sentences;
  std::size_t count = 0;
  for (const Comparison& comparison : comparisons(study)) {
    if (!has_goodput_range(comparison)) continue;
    ++count;
    if (std::string sentence = sentence_on(comparison); !sentence.empty())
      sentences.push_back(std::move(sentence));
  }
  if (sentences.size() <= most_sentences) return sentences;
  return {
      fmt::format("the winner depends on the goodput in {} of {} combinations.", sentences.size(), count)};
}

}  // namespace sim::report
