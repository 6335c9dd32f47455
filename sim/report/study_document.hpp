// A simulated study as a document: text for people that begins with the answer, rows of the comparison, JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "command_line/table.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/expectations.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

// Results of learning as text: accuracy over simulated time, and the first arm to reach the target.

/// Accuracy of every arm that was tested, at equal simulated times: each cell is the arm's last test until
/// then, which stays when the arm has ended; empty before its first test.
/// @returns a table without rows where no arm was tested
command_line::Table accuracy_over_time(const SimulatedStudy& study);

/// That table under a title, and the conclusions from it; empty where no arm was tested.
std::string learning_text(const SimulatedStudy& study);

/// The arms that reach the scenario's target, if any, and the time of each; and the accuracy of each arm in
/// the end. Empty where no arm was tested.
std::vector<std::string> learning_verdicts(const SimulatedStudy& study);

/// For a screen, one sentence for each target: the arm that reaches it first, those that tie with it, and the
/// next. Empty where no arm has a target.
std::vector<std::string> short_target_verdicts(const SimulatedStudy& study);

// Sentences that say which arm wins, by how much, and which part of the step decided it.

/// The best of the arms whose updates are exact (`by_update`), by how much over the next, and why; then the
/// arms that are faster if they learn as well per sample, and those for which that depends on how long
/// compressing takes. Where no arm leads, that there is no winner, and each arm's time.
///
/// The reason is the part of the step (compute, wait, compress, exchange) in which most of the difference
/// lies. An exchange is split further into its time on links of infinite bandwidth and the rest, so that
/// bytes, rounds and overlap are distinguished. Arms that differ by at most `scenario::tie` tie, whatever
/// their updates; the one with the exact update is named first.
std::string verdict(const Comparison& comparison);

/// The same for a screen: without reasons where others are faster, and without the ways to settle what is
/// open.
std::string short_verdict(const Comparison& comparison);

/// One text for each comparison; where there are many (a product of axes), how often each arm of the axis
/// leads.
std::vector<std::string> verdicts(const SimulatedStudy& study);

/// For a screen: the short verdict on the whole runs of each model; with axes one for each combination, or
/// where there are more than three, how often each arm is the fastest; then the arms that are not compared.
std::vector<std::string> short_verdicts(const SimulatedStudy& study);

// The answer to a study's question.

/// The answer: the arm that reaches the target accuracy first, where arms have
/// one; else the verdict on the whole run; else, of a single arm, its time and the part of its steps that
/// takes most.
std::string answer(const SimulatedStudy& study);

// A simulated study as a document: text for people, rows of the comparison, JSON.

/// One study with its judged expectations.
struct JudgedStudy {
  const SimulatedStudy* played;
  const ExpectationReport* expectations;
};

/// How much the text of a study holds, and how wide its lines may be.
struct Screen {
  std::size_t width = 80;  ///< characters
  bool details = false;    ///< all tables and phases, reasons, and where each number comes from
};

/// The output of `sim run` for one file. The text is the first screen (`first_screen`), with all details
/// where they are asked for.
/// @param study  must outlive the document, with all that it points to
command_line::Document study_document(const JudgedStudy& study, const Screen& screen = {});

/// Just the JSON, as in summary.json: scenario, question, answer, arms, verdicts, expectations and what is
/// left out; numbers in the base units that their keys name.
std::string study_json(const JudgedStudy& study);

}  // namespace sim::report
