// A played study as text: the question, the tables, who wins, what others found, where the numbers come from.
#include "sim/output/report_text.hpp"

#include <algorithm>
#include <iterator>

#include "sim/output/comparison.hpp"
#include "sim/output/learning.hpp"
#include "sim/output/origins.hpp"
#include "sim/output/verdict.hpp"
#include "sim/output/wrap.hpp"

namespace sim::output {
namespace {

constexpr std::string_view legend =
    "Means per step: compute, wait, compress and exchange, as far as nothing hides them, add up to the step; "
    "busy is the network at work, hidden or not; efficiency is throughput over that of as many workers of "
    "speed 1 that exchange "
    "nothing.";

constexpr std::string_view learning_legend =
    "last 5 tests is the learner's mean accuracy in them; gain is ||g_c||^2 / ||g_e||^2, the energy that "
    "compression keeps, mean over the steps that sent gradients; noise scale is of the gradient, in samples, "
    "when it was last known.";

constexpr std::string_view streams_legend =
    "stream wait, by which samples still to arrive put off the slowest worker, is part of the step, too; the "
    "buffer is what streams have brought and no batch has taken in the end, of the fullest device in "
    "samples, of all in bytes; without `streams.waiting_counts`, as in ScaDLES' released code, samples that "
    "arrive while workers wait are not in it.";

bool streams(const PlayedStudy& study) {
  return std::ranges::any_of(study.arms, [](const PlayedArm& arm) { return arm.result.buffer.has_value(); });
}

bool learns(const PlayedStudy& study) {
  return std::ranges::any_of(study.arms,
                             [](const PlayedArm& arm) { return arm.result.learning.has_value(); });
}

}  // namespace

std::string report_text(const PlayedStudy& study, const ExpectationReport& expectations) {
  std::string text;
  if (!study.study->question.empty()) text += study.study->question + "\n\n";
  text += comparison_text(study) + wrap(legend) + (streams(study) ? wrap(streams_legend) : "") +
          (learns(study) ? wrap(learning_legend) : "") + "\n" + learning_text(study);
  std::vector<std::string> sentences = learning_verdicts(study);
  std::ranges::move(verdicts(study), std::back_inserter(sentences));
  for (const std::string& sentence : sentences) text += wrap(sentence);
  if (!sentences.empty()) text += "\n";
  text += expectations_text(expectations);
  for (const std::string& line : origins(study)) text += wrap(line);
  return text;
}

}  // namespace sim::output
