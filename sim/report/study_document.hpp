// A played study as a document: text for people that begins with the answer, rows of the comparison, JSON.
#pragma once

#include <string>

#include "command_line/output_format.hpp"
#include "sim/report/expectations.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

// The answer to a study's question, in one sentence.

/// The sentence that a reader in a hurry needs. It is who reaches the target accuracy first, where arms have
/// one; else who wins over the whole run (or, without such a comparison, the first verdict); else, of an arm
/// alone, its time and the part of its steps that takes most.
std::string answer(const SimulatedStudy& study);

// A played study as a document: text for people, rows of the comparison, JSON.

/// One study with its judged expectations.
struct JudgedStudy {
  const SimulatedStudy* played;
  const ExpectationReport* expectations;
};

/// What `sim run` prints for one file. The text has the question, the tables, who wins, what others found,
/// and where the numbers come from.
/// @param study  what it points to must outlive the document
command_line::Document study_document(const JudgedStudy& study);

/// The JSON alone, as in summary.json: scenario, question, answer, arms, verdicts, expectations and what is
/// left out; numbers in the base units that their keys name.
std::string study_json(const JudgedStudy& study);

}  // namespace sim::report
