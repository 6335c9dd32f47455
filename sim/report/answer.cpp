// Choosing the sentence that answers.
#include "sim/report/answer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/report/learning.hpp"
#include "sim/report/verdict.hpp"

namespace sim::report {
namespace {

bool has_target(const SimulatedStudy& study) {
  return std::ranges::any_of(study.arms, [](const SimulatedArm& arm) {
    return arm.result.learning && !arm.result.learning->curve.empty() && arm.scenario->learner.target;
  });
}

/// The part of a step that takes most, with its share: "compute, 81 % of the step".
std::string largest_part(const engine::Parts& parts) {
  const std::array<std::pair<const char*, netmodels::Seconds>, 5> all{{{"compute", parts.compute},
                                                                       {"waiting", parts.wait},
                                                                       {"compression", parts.compress},
                                                                       {"exchange", parts.exchange},
                                                                       {"streams", parts.stream_wait}}};
  const auto most = std::ranges::max_element(all, {}, &std::pair<const char*, netmodels::Seconds>::second);
  return fmt::format("{}, {:.0f} % of the step", most->first, 100 * (most->second / parts.total()));
}

std::string one_arm(const SimulatedArm& arm) {
  constexpr int digits = 4;
  const engine::PhaseResult& whole = arm.result.whole;
  return fmt::format("`{}` takes {} per step and {} in all; most of it goes to {}.", arm.result.name,
                     netmodels::print(whole.step_time(), digits), netmodels::print(arm.result.time, digits),
                     largest_part(whole.parts));
}

}  // namespace

std::string answer(const SimulatedStudy& study) {
  if (study.arms.empty()) return "No arm was played to its end.";
  if (has_target(study)) return learning_verdicts(study).front();
  const std::vector<std::string> sentences = verdicts(study);
  const auto whole = std::ranges::find_if(
      sentences, [](const std::string& sentence) { return sentence.starts_with("whole run: "); });
  if (whole != sentences.end()) return *whole;
  if (!sentences.empty()) return sentences.front();
  return one_arm(study.arms.front());
}

}  // namespace sim::report
