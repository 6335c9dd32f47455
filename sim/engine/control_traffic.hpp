// Small exchanges of a step besides its gradients: flags that ask for synchronisation, shared samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learning/datasets/injection.hpp"
#include "learning/learners/learner_row.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cost_evaluator.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// All-gathers whose full time every step takes, with any ending.
///
///   flags    SelSync: one bit of every worker, sent as a byte, before it is known how the step ends
///   samples  data injection: ceil(alpha N) workers share round(beta b') samples each with all others;
///            charged as an all-gather of as many bytes in all
///
/// Leaves out: sharing samples while the step before still computes; which workers are donors in a step
///             (shares are those of the mean donor).
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, Algorithm 1 and section III-E.
class ControlTraffic {
 public:
  /// @param flags    whether workers ask each other how the step ends
  /// @param learner  shares samples, or does not
  /// @param seed     of the donors
  ControlTraffic(bool flags, const learning::learners::LearnerChoice& learner, std::uint64_t seed);

  [[nodiscard]] bool empty() const { return handles_.empty(); }
  /// Plans again, for these workers and the batches of now.
  void plan(std::span<const std::uint32_t> workers, const scenario::Training& training,
            CostEvaluator& evaluator);

  /// @returns the time of all of them, one after another from `start` on
  netmodels::Result<netmodels::Seconds> evaluate(netmodels::Seconds start, CostEvaluator& evaluator,
                                                 NetworkTimeline& network) const;

  /// Per worker and step.
  [[nodiscard]] netmodels::Bytes sent() const { return sent_; }

 private:
  /// Samples that donors share.
  struct SharedSamples {
    learning::datasets::Injection injection;
    double share;                          ///< of a donor's batch
    std::optional<netmodels::Bytes> size;  ///< of one; known where several workers are accepted
  };

  /// The samples that all donors of a step share, each once.
  [[nodiscard]] netmodels::Bytes shared_bytes(std::span<const std::uint32_t> workers,
                                              const scenario::Training& training) const;

  bool flags_;
  std::optional<SharedSamples> shared_;  ///< nothing: workers keep their own
  std::vector<CostEvaluator::Handle> handles_;
  netmodels::Bytes sent_;
};

}  // namespace sim::engine
