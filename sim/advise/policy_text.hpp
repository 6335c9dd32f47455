// Advice on policies as a document: for people, as rows, as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "sim/advise/policy_advice.hpp"

namespace sim::advise {

/// One row per candidate: those that were played by rank, then those that were not, in their order.
command_line::Table policy_table(const AdvisedPolicies& advised);

/// The text has the question, the advice in sentences, a table of the best that were played, and what they
/// rest on; the rows are all rows.
/// @param advised  must outlive the document
/// @param file     as named on the command line
command_line::Document policy_document(const AdvisedPolicies& advised, const std::string& file);

/// A bound, judged.
struct JudgedPolicyBound {
  const scenario::PolicyBound* bound;
  std::optional<double> ours;  ///< nothing where the advice has no such figure
  [[nodiscard]] bool met() const;
};

std::vector<JudgedPolicyBound> judge(const AdvisedPolicies& advised);
/// Each bound that is not kept, with its place; empty when all are.
std::vector<std::string> missed(std::span<const JudgedPolicyBound> bounds);

}  // namespace sim::advise
