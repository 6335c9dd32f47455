// The collectives of a step's gradient, and the actions that may end the step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/buckets.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/data_parallel_step.hpp"
#include "netmodels/execution.hpp"
#include "netmodels/step_graph.hpp"
#include "netmodels/traced_step.hpp"
#include "policies/compression_policy.hpp"
#include "policies/exchange_policy.hpp"
#include "policies/synchronisation_policy.hpp"
#include "sim/engine/cost_evaluator.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/step_settings.hpp"

namespace sim::engine {

// Which collectives carry one step's gradient, bucket by bucket.

/// What is exchanged, and by which collectives it may be.
struct ExchangeQuestion {
  std::span<const netmodels::Layer> layers;
  netmodels::GradientParts parts = {};
  bool overlap = false;           ///< with the backward pass
  double batch = 1;               ///< samples per worker
  netmodels::Bytes buffers = {};  ///< broadcast before the forward pass; 0: none
  policies::CompressionChoice sent = {};
  int index_bytes = 4;
  bool by_variance = false;         ///< how AR-Topk chooses the worker whose indices are used
  bool proportional_tiles = false;  ///< whether smaller tiles of `dct_topk` send fewer coefficients
  const netmodels::Collective* named = nullptr;  ///< null: a policy chooses
  std::span<const std::string> among = {};  ///< for a policy: only these, where any of them fits; empty: all
  std::string_view library = {};            ///< library that runs unnamed collectives; empty: none
  std::uint32_t chunks = 16;                ///< of pipelined collectives
  std::uint32_t workers_per_node = 1;
  std::int64_t fragments = 1;  ///< of equally many values, of which one is exchanged
  /// Of a gradient value that is sent as it is, above 0; other methods have their own form.
  double value_bytes = netmodels::gradient_value_bytes;
};

/// By the stated method and ratio.
/// @param settings  those that it refers to outlive the question
ExchangeQuestion stated_exchange(const StepSettings& settings);
/// With another method or ratio than the stated one, in the execution model that runs it.
ExchangeQuestion exchange_of(const StepSettings& settings, const policies::CompressionChoice& sent);

/// The stated method and ratio of what is sent; nothing where models are sent as they are, or nothing is.
inline std::optional<policies::CompressionChoice> stated_method(const scenario::Compression& stated,
                                                                Traffic traffic) {
  const policies::CompressionChoice sent = stated.stated();
  const bool whole_models = traffic == Traffic::parameters && !sent.compresses();
  if (traffic == Traffic::nothing || whole_models) return std::nullopt;
  return sent;
}

/// The exchanges of each step, for a given number of workers.
struct ExchangePlan {
  std::vector<netmodels::BucketExchange> buckets;        ///< in the order in which they become ready
  std::optional<netmodels::BucketStage> buffers;         ///< the broadcast before the forward pass
  std::vector<const netmodels::Collective*> candidates;  ///< for the stages that are left to the policy
  std::vector<netmodels::Operation> open_operations;     ///< those stages' operations, bucket by bucket
};

/// Compression and restoring take no time yet.
/// @param workers  that take part; a single one exchanges nothing
ExchangePlan plan_exchange(const ExchangeQuestion& question, std::uint32_t workers);

/// The graph of a traced step, and what is left to the policy: its all-reduces among all workers.
struct TracedPlan {
  netmodels::StepGraph graph;
  ExchangePlan exchange;
};

/// The exchanges of a traced step's gradients where they are compressed: one for each collective that sums
/// them. Compression and restoring take no time yet.
std::vector<netmodels::BucketExchange> plan_traced_gradients(const ExchangeQuestion& question,
                                                             const netmodels::TracedStep& step,
                                                             std::uint32_t workers);

/// @param step     outlives the plan
/// @param workers  that take part; a single one exchanges nothing
/// @param gradients  of `plan_traced_gradients`; empty: gradients are exchanged as they were traced
TracedPlan plan_traced(const ExchangeQuestion& question, const netmodels::TracedStep& step,
                       std::uint32_t workers, std::vector<netmodels::BucketExchange> gradients = {});

// One way in which a step may end: its graph, which collective carries what, and what the last step's took.

/// A compression that a policy chose, and the trials before it.
struct ChosenCompression {
  policies::CompressionChoice sent;
  std::vector<policies::CompressionChoice> trials;  ///< their time is spent in any case

  bool operator==(const ChosenCompression&) const = default;
};

/// Nothing is compressed.
inline ChosenCompression whole_gradient() { return {{}, {{}}}; }

/// What the workers do at the end of a step.
struct StepAction {
  Traffic traffic = Traffic::gradients;
  std::optional<ChosenCompression> compression = {};  ///< of gradients; nothing: from the scenario
  /// Compressing and restoring the whole gradient or change; nothing: as `CompressionCosts` has it.
  std::optional<netmodels::Seconds> compressing = {};

  bool operator==(const StepAction&) const = default;
};

/// Gradients or changes that a step sends; nothing where it sends neither.
inline std::optional<policies::CompressionChoice> sent_by(const StepAction& end,
                                                          const scenario::Compression& stated) {
  return end.compression ? std::optional(end.compression->sent) : stated_method(stated, end.traffic);
}

/// The method's name in records; empty where nothing is sent.
inline std::string_view recorded_name(const std::optional<policies::CompressionChoice>& sent) {
  return sent ? sent->method.name() : std::string_view();
}

/// What is exchanged in a step that ends so; momenta are, like models, of all steps since the last exchange.
Traffic traffic_of(policies::Synchronisation decision);

/// The graph of the steps that end with one action, the policy that chooses its collective, and the times of
/// the last step's collectives.
class CommunicationPlan {
 public:
  /// A collective of the graph, evaluated.
  struct Evaluated {
    const netmodels::Collective* row = nullptr;
    netmodels::Seconds duration = {};
    EvaluatedBy by = EvaluatedBy::path;
    double error = 0;                                ///< relative; see CostEvaluator::Cost
    std::optional<netmodels::nccl::Time> nccl = {};  ///< likewise
  };

  /// @param settings  outlives this
  /// @param workers  who exchange, in ascending order; empty: all of each node
  CommunicationPlan(const StepSettings& settings, StepAction action,
                    const std::vector<std::uint32_t>& workers = {});

  [[nodiscard]] const StepAction& action() const { return action_; }

  /// Plans again for so many workers; the collective must be chosen again.
  void plan(std::uint32_t workers);

  /// Whether the network decides what is chosen.
  [[nodiscard]] bool watches() const {
    return exchange_.candidates.size() > 1 && !exchange_.open_operations.empty();
  }
  [[nodiscard]] bool chosen() const { return chosen_ != nullptr; }
  /// @param reading  number of the probe that `network` is from
  /// @param links    as that probe read them; null where it cannot read them exactly
  void choose(const std::optional<policies::NetworkEstimate>& network, std::uint64_t reading,
              const netmodels::NetworkState* links, CostEvaluator& evaluator);
  /// Of the last choice.
  [[nodiscard]] std::uint64_t reading() const { return reading_; }

  /// The time of a collective of the graph from `start` on.
  netmodels::Result<netmodels::Seconds> evaluate(std::size_t operation, netmodels::Seconds start,
                                                 CostEvaluator& evaluator, NetworkTimeline& network);

  /// Whether two collectives of the graph share links: both leave nodes, or both stay inside.
  [[nodiscard]] bool share_links(std::size_t one, std::size_t other) const {
    return leaves_nodes_[one] == leaves_nodes_[other];
  }

  /// Whether a time of the last step was measured.
  [[nodiscard]] bool measured() const;

  [[nodiscard]] const netmodels::StepGraph& graph() const { return graph_; }
  [[nodiscard]] const ExchangePlan& exchange() const { return exchange_; }
  /// The compute stream takes longer by this share while a collective runs.
  [[nodiscard]] double slowdown() const { return slowdown_; }
  /// Of a collective of the graph in the last step.
  [[nodiscard]] const Evaluated& evaluated(std::size_t operation) const { return evaluated_[operation]; }
  /// The part of its time that is latency: what is left on links of infinite bandwidth.
  [[nodiscard]] netmodels::Seconds latency_of(std::size_t operation, CostEvaluator& evaluator,
                                              const netmodels::NetworkState& state) const;
  /// Per worker and step; nothing for closed forms without a schedule.
  [[nodiscard]] std::optional<netmodels::Bytes> sent() const { return sent_; }
  /// Those of them that go to other nodes; nothing too where nodes have one worker each.
  [[nodiscard]] std::optional<netmodels::Bytes> sent_between_nodes() const { return between_nodes_; }
  /// That carries the values; empty where nothing is exchanged.
  [[nodiscard]] std::string_view collective() const {
    const bool fixed = sharded_ || (graph_.traced && exchange_.open_operations.empty());
    if (fixed && !graph_.collectives.empty()) return graph_.operations[graph_.collectives.back()].row->name;
    return exchange_.open_operations.empty() || chosen_ == nullptr ? std::string_view{} : chosen_->name;
  }

 private:
  void plan_site(std::uint32_t workers);     ///< site_step
  void plan_sharded(std::uint32_t workers);  ///< sharded_step
  void plan_trace(std::uint32_t workers);    ///< the step as it was traced
  void plan_buckets(std::uint32_t workers);  ///< data_parallel_step
  void prepare(CostEvaluator& evaluator);

  const StepSettings* settings_;
  StepAction action_;
  ExchangeQuestion question_;
  double slowdown_ = 0;
  bool sharded_ = false;  ///< the graph is of sharded_step or site_step
  std::uint64_t reading_ = 0;
  std::unique_ptr<policies::ExchangePolicy> policy_;
  ExchangePlan exchange_;
  netmodels::StepGraph graph_;
  const netmodels::Collective* chosen_ = nullptr;
  std::vector<CostEvaluator::Handle>
      handles_;                       ///< by operation of the graph; unused where it is no collective
  std::vector<Evaluated> evaluated_;  ///< likewise
  std::vector<bool> leaves_nodes_;    ///< likewise: whether it sends between nodes, where queues need it
  std::optional<netmodels::Bytes> sent_;
  std::optional<netmodels::Bytes> between_nodes_;
};

}  // namespace sim::engine
