// Advice on policies as text for people, as CSV and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/output/sheet.hpp"
#include "sim/study/policy_advice/policy_advice.hpp"

namespace sim::study::policy_advice {

/// One row per candidate: those that were played by rank, then those that were not, in their order.
output::Sheet policy_sheet(const AdvisedPolicies& advised);

/// The question, the advice in sentences, a table of the best that were played, and what they rest on.
std::string policy_text(const AdvisedPolicies& advised);
/// All rows.
std::string policy_csv(const AdvisedPolicies& advised);
/// @param file  as named on the command line
std::string policy_json(const AdvisedPolicies& advised, const std::string& file);

/// A bound, judged.
struct JudgedPolicyBound {
  const scenario::PolicyBound* bound;
  std::optional<double> ours;  ///< nothing where the advice has no such figure
  [[nodiscard]] bool met() const;
};

std::vector<JudgedPolicyBound> judge(const AdvisedPolicies& advised);
/// Each bound that is not kept, with its place; empty when all are.
std::vector<std::string> missed(std::span<const JudgedPolicyBound> bounds);

}  // namespace sim::study::policy_advice
