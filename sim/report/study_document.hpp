// A simulated study as a document: text for people that begins with the answer, rows of the comparison, JSON.
#pragma once

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

// Sentences that say which arm wins, by how much, and which part of the step decided it.

/// One sentence: the fastest arm, by how much over the runner-up and over the best dense arm, and why.
///
/// The reason is the part of the step (compute, wait, compress, exchange) in which most of the difference to
/// the runner-up lies. An exchange is split further into its time on links of infinite bandwidth and the
/// rest, so that bytes, rounds and overlap are distinguished. The end says what the compression time of the
/// fastest arm, or of one as fast, rests on. Arms that differ by at most `scenario::tie` are called a tie.
/// Where another arm wins for another possible compression time, the sentence names the time at which the
/// winner changes instead.
std::string verdict(const Comparison& comparison);

/// One sentence: what the world of the second arm costs or saves against that of the first, and why.
std::string difference(const Comparison& comparison);

/// One sentence for each comparison, then one for each comparison of worlds; where there are many (a product
/// of axes), how often each arm of the axis wins.
std::vector<std::string> verdicts(const SimulatedStudy& study);

// The answer to a study's question, in one sentence.

/// The one-sentence answer: the arm that reaches the target accuracy first, where arms have
/// one; else the winner over the whole run (or, without such a comparison, the first verdict); else, of a
/// single arm, its time and the part of its steps that takes most.
std::string answer(const SimulatedStudy& study);

// A simulated study as a document: text for people, rows of the comparison, JSON.

/// One study with its judged expectations.
struct JudgedStudy {
  const SimulatedStudy* played;
  const ExpectationReport* expectations;
};

/// The output of `sim run` for one file. The text has the question, the tables, the winner, published
/// figures, and where the numbers come from.
/// @param study  must outlive the document, with all that it points to
command_line::Document study_document(const JudgedStudy& study);

/// Just the JSON, as in summary.json: scenario, question, answer, arms, verdicts, expectations and what is
/// left out; numbers in the base units that their keys name.
std::string study_json(const JudgedStudy& study);

}  // namespace sim::report
