// Simulates one scenario from the first step to the last; the spans of a step on a timeline.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/compression_controller.hpp"
#include "sim/engine/compression_dependence.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

// The bars that a step leaves on a timeline.

/// Hands out one bar per worker for forward, backward and optimizer, and per bucket for compression and
/// exchange.
/// @param ranks  those that are drawn
void draw_step(const StepSimulator& simulator, netmodels::Seconds begin, std::int64_t step,
               const std::vector<std::size_t>& ranks, const std::function<void(const Span&)>& draw);

/// Ranks whose bars say how all compute and exchange: of the workers of the first node, and of one worker of
/// each other speed in this step, of which there may be 8.
/// @param per_node  workers of a node
std::vector<std::size_t> ranks_in_brief(const StepSimulator& simulator, int per_node);

// Simulates one scenario from the first step to the last.

/// Callbacks during the run. Any of them may be empty.
struct Listeners {
  std::function<void(const StepRecord&)> step;  ///< every `output.steps_every`-th step
  std::function<void(const Span&)> span;        ///< bars of the first `output.timeline_steps` steps
  std::function<void(double share)> progress;   ///< share of the steps done, a few hundred times a run
  /// Ends the run after the current step when true, or in it, which then does not count, where the cluster
  /// is asked to stop, too.
  const std::atomic<bool>* stop = nullptr;
  const std::atomic<bool>* enough = nullptr;  ///< a listener's own: ends the run after the current step
};

/// Simulates the training of `scenario` on its cluster.
///
/// Every step computes on all workers that take part in it: forward, backward layer by layer, gradient
/// buckets that are compressed and exchanged as soon as the slowest worker has them, optimizer. An exchange
/// starts on all of them at once. Time-varying links, background traffic, stragglers and failures are as the
/// scenario says. A policy may change batches before a step, and workers wait for samples of their streams.
///
/// @returns the result, or an Error when the cluster cannot be built, when the evaluator that the scenario
///          asks for refuses an exchange, or when an audit finds evaluators that disagree
///
/// Leaves out: loading of samples as traffic; memory limits, except batch limits; workers that start an
///             exchange at different times.
/// @param shelf     where data sets and models are kept from one run to the next
/// @param clusters  where the cluster is kept
netmodels::Result<ArmResult> simulate(const scenario::Scenario& scenario, const Listeners& listeners,
                                      LearnerShelf& shelf, ClusterCache& clusters);

/// Builds the cluster of a scenario and looks up every link that it names, without simulating a step.
/// @returns nothing, or the Error that `simulate` would return before its first step
netmodels::Result<void> check_cluster(const scenario::Scenario& scenario, ClusterCache& clusters);

/// Why one step takes its time, with the numbers used: one entry for each declared
/// phase. Where steps may stay local, it is one that does not.
struct ExplainedExchange {
  std::string bucket;  ///< "bucket 2 of 5: 7875584 values", or "buffers"
  std::string collective;
  std::string formula;    ///< of the collective
  netmodels::Bytes size;  ///< M
  std::uint32_t ranks = 1;
  std::uint32_t group = 1;      ///< g of a two-level collective, the ranks of a node; 1 for others
  netmodels::Seconds ready;     ///< since the step began
  netmodels::Seconds wait;      ///< for the exchange before it, then
  netmodels::Seconds compress;  ///< takes so long, then; 0 in front of a bucket's further stages
  netmodels::Seconds start;
  netmodels::Seconds duration;  ///< alone; other queues may delay its end
  netmodels::Seconds end;
  netmodels::Seconds latency_share;  ///< of the duration: the part left on links of infinite bandwidth
  std::string evaluator;             ///< closed, path, simgrid, measured, nccl
  netmodels::LinkState hop;          ///< L and B: the largest latency and the smallest bandwidth between
                                     ///< neighbours in rings of the workers that work together
  netmodels::Seconds by_formula;     ///< with these for any two workers, none of which share a link
  std::optional<netmodels::nccl::Time> nccl = {};  ///< what NCCL would choose, term by term
  /// That a worker sends to other nodes, where a step has exchanges inside nodes and between them.
  std::optional<netmodels::Bytes> between_nodes = {};
};

/// An exchange that later steps overlap, once as many have been made as it takes to have one under way all
/// the time. What is waited for is at the end of the last of these steps.
struct OverlappedExchange {
  std::int64_t steps = 0;   ///< that it overlaps before the next one follows it, at least 1
  netmodels::Seconds room;  ///< these take so long, without waiting
  netmodels::Seconds hidden;
  netmodels::Seconds waited;  ///< the rest of the exchange
};

/// The steps from one exchange to the next: the explained one, and local ones before it.
struct Round {
  std::int64_t steps = 2;    ///< at least 2
  netmodels::Seconds local;  ///< of a local one
  netmodels::Seconds whole;  ///< of all of them
};

struct ExplainedStep {
  std::string phase;
  netmodels::Seconds latency;      ///< between neighbouring workers, the largest
  netmodels::Bandwidth bandwidth;  ///< between neighbouring workers, the smallest
  std::vector<std::string> links;  ///< as link_summary gives them
  netmodels::Seconds host_overhead;
  netmodels::Seconds forward;
  netmodels::Seconds backward;
  netmodels::Seconds optimizer;
  std::vector<ExplainedExchange> exchanges;
  StepRecord step;
  Reason bound;  ///< the dominant part of the step time
  std::optional<CompressionWorth>
      worth;  ///< nothing where no gradients are exchanged, or it was not asked for
  std::optional<CompressionDependence>
      dependence;  ///< nothing where no other time of compressing is possible, or it was not asked for
  /// Nothing where a step waits for its own exchange. Else `step` holds what is waited for in place of the
  /// whole exchange.
  std::optional<OverlappedExchange> overlapped = {};
  std::optional<Round> round = {};  ///< nothing where each step exchanges, or rounds differ
};

/// The step to explain.
struct ExplainOptions {
  bool compression_worth = true;            ///< whether the step is run dense and compressed, too
  bool dependence = false;                  ///< whether it is run for other times of compressing, too
  const std::atomic<bool>* stop = nullptr;  ///< ends it before the next phase when true; may be null
};

/// Whether there is such a step: workers wait for each other, and no policy decides by gradients what is
/// sent.
/// @returns nothing where there is one, else an Error that names the key
netmodels::Result<void> check_typical_step(const policies::SynchronisationChoice& synchronisation,
                                           const scenario::Compression& compression,
                                           const policies::BatchingChoice& batching,
                                           const std::optional<scenario::Streams>& streams);

/// Simulates the first step of every declared phase without jitter, with an exchange policy that knows the
/// network as it is (in `simulate` it may still believe an older probe).
netmodels::Result<std::vector<ExplainedStep>> explain(const scenario::Scenario& scenario,
                                                      ClusterCache& clusters,
                                                      const ExplainOptions& options = {});

}  // namespace sim::engine
