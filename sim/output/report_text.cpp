// A played study as text: the question, the tables, who wins, what others found, where the numbers come from.
#include "sim/output/report_text.hpp"

#include "sim/output/comparison.hpp"
#include "sim/output/origins.hpp"
#include "sim/output/verdict.hpp"
#include "sim/output/wrap.hpp"

namespace sim::output {
namespace {

constexpr std::string_view legend =
    "Means per step: compute, wait, compress and exchange, as far as nothing hides them, add up to the step; "
    "busy is the network at "
    "work, hidden or not; efficiency is throughput over that of as many workers of speed 1 that exchange "
    "nothing.";

}  // namespace

std::string report_text(const PlayedStudy& study, const ExpectationReport& expectations) {
  std::string text;
  if (!study.study->question.empty()) text += study.study->question + "\n\n";
  text += comparison_text(study) + wrap(legend) + "\n";
  const std::vector<std::string> sentences = verdicts(study);
  for (const std::string& sentence : sentences) text += wrap(sentence);
  if (!sentences.empty()) text += "\n";
  text += expectations_text(expectations);
  for (const std::string& line : origins(study)) text += wrap(line);
  return text;
}

}  // namespace sim::output
