// A played study as text: the question, the tables, who wins, what others found, where the numbers come from.
#include "sim/output/report_text.hpp"

#include "sim/output/comparison.hpp"
#include "sim/output/origins.hpp"
#include "sim/output/verdict.hpp"
#include "sim/output/wrap.hpp"

namespace sim::output {

std::string report_text(const PlayedStudy& study, const ExpectationReport& expectations) {
  std::string text;
  if (!study.study->question.empty()) text += study.study->question + "\n\n";
  text += comparison_text(study);
  const std::vector<std::string> sentences = verdicts(study);
  for (const std::string& sentence : sentences) text += wrap(sentence);
  if (!sentences.empty()) text += "\n";
  text += expectations_text(expectations);
  for (const std::string& line : origins(study)) text += wrap(line);
  return text;
}

}  // namespace sim::output
