// Advice on policies in sentences: what to take, why each candidate is ahead or behind, and how sure that is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/advise/policy_advice.hpp"

namespace sim::advise {

/// "topk at 1 % by ring_allgather, batch 32"; a dense one says so.
std::string name_of(const scenario::PolicyCandidate& candidate);

/// Why the candidate is the advice, or how far it is from the advice and which part of the training makes the
/// difference.
/// @param index  of `played`
std::string policy_reason(const AdvisedPolicies& advised, std::size_t index);

/// "take topk at 1 % ...: about 5.0 h", and what plain dense all-reduce comes to.
std::string policy_sentence(const AdvisedPolicies& advised);

/// How the figures came about and what they rest on, one sentence each.
std::vector<std::string> policy_notes(const AdvisedPolicies& advised);

/// Of the best dense one / of this one, on their worst networks: what the steps may be multiplied by until
/// this one is no faster. Nothing without a dense one.
std::optional<double> over_dense(const AdvisedPolicies& advised, const AdvisedPolicy& policy);

}  // namespace sim::advise
