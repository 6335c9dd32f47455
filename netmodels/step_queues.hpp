// A step whose collectives are in several queues, such as those of communicators of their own.
#pragma once

#include "netmodels/step_graph.hpp"

namespace netmodels {

/// Runs a traced step whose queues run side by side. Of k collectives that share links, each runs at 1/k of
/// its rate while all of them run.
/// @param pace   without `slowdown`
/// @param times  `operations` and `exchange_busy` are overwritten
/// @returns nothing, or the Error of a collective that could not be evaluated
/// Leaves out: that latencies do not add up, and links that only a part of a collective shares.
Result<void> run_queues(const StepGraph& graph, const StepPace& pace, CollectiveEvaluator& evaluator,
                        StepTimes& times);

}  // namespace netmodels
