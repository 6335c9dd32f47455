// The advice on policies, as text and rows, with its reasons.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "sim/advise/policy_advice.hpp"

namespace sim::advise {

// Advice on policies as a document: for people, as rows, as JSON.

/// One row per candidate: the simulated ones by rank, then the others in their order.
command_line::Table policy_table(const AdvisedPolicies& advised);

/// The text has the question, the advice in sentences, a table of the best simulated ones, and what they
/// rest on; the rows are all rows.
/// @param advised  must outlive the document
/// @param file     as named on the command line
/// @param width    of lines of tables; `npos`: as long as they are
command_line::Document policy_document(const AdvisedPolicies& advised, const std::string& file,
                                       std::size_t width = std::string::npos);

/// A bound, judged.
struct JudgedPolicyBound {
  const scenario::PolicyBound* bound;
  std::optional<double> ours;                     ///< nothing where the advice has no such figure
  [[nodiscard]] std::optional<bool> met() const;  ///< nothing where there is no figure to judge
};

std::vector<JudgedPolicyBound> judge(const AdvisedPolicies& advised);
/// Each bound that is not kept, one without a figure among them, with its place; empty when all are.
std::vector<std::string> missed(std::span<const JudgedPolicyBound> bounds);

// Advice on policies in sentences: the choice, why each candidate is ahead or behind, and how certainly.

/// "topk at 1 % by ring_allgather, batch 32"; a dense one is named dense.
std::string name_of(const scenario::PolicyCandidate& candidate);

/// Why the candidate is the advice, or how far it is from the advice and which part of the training makes the
/// difference.
/// @param index  of `played`
std::string policy_reason(const AdvisedPolicies& advised, std::size_t index);

/// "take topk at 1 % ...: about 5.0 h", and the time of plain dense all-reduce.
std::string policy_sentence(const AdvisedPolicies& advised);

/// How the figures came about and what they rest on, one sentence each.
std::vector<std::string> policy_notes(const AdvisedPolicies& advised);

/// Of the best dense one / of this one, on their worst networks: what the steps may be multiplied by until
/// this one is no faster. Nothing without a dense one.
std::optional<double> over_dense(const AdvisedPolicies& advised, const AdvisedPolicy& policy);

}  // namespace sim::advise
