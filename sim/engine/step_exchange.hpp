// One way in which a step may end: what is exchanged, bucket by bucket, and which collective carries it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/compression_policy.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/compute_plan.hpp"
#include "sim/engine/exchange_plan.hpp"
#include "sim/engine/network_player.hpp"
#include "sim/engine/pricer.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/step_model.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// A compression that a policy chose, and what it tried on the way there.
struct ChosenCompression {
  policies::CompressionChoice sent;
  std::vector<policies::CompressionChoice> trials;  ///< their time is spent, whatever is sent

  bool operator==(const ChosenCompression&) const = default;
};

/// How a step ends.
struct StepEnd {
  Traffic traffic = Traffic::gradients;
  std::optional<ChosenCompression> compression = {};  ///< of gradients; nothing: as the scenario says

  bool operator==(const StepEnd&) const = default;
};

/// The plans for one way of ending a step, the policy that chooses its collective, and the prices of the last
/// step.
class StepExchange {
 public:
  /// One collective of one bucket, priced.
  struct PricedStage {
    const netmodels::Collective* row;
    netmodels::Operation operation;
    netmodels::Seconds duration;
    PricedBy by;
    double error = 0;  ///< relative; see Pricer::Price
  };

  /// @param scenario  outlives this; what this end of a step needs is derived from it
  StepExchange(const scenario::Scenario& scenario, StepEnd end);

  [[nodiscard]] const StepEnd& end() const { return end_; }

  /// Plans anew for so many workers; the collective is to be chosen again.
  void plan(std::uint32_t workers);

  /// Whether the network decides what is chosen.
  [[nodiscard]] bool watches() const {
    return exchange_.candidates.size() > 1 && !exchange_.open_operations.empty();
  }
  [[nodiscard]] bool chosen() const { return chosen_ != nullptr; }
  /// @param reading  number of the probe that `network` is from
  void choose(const std::optional<policies::NetworkEstimate>& network, std::uint64_t reading, Pricer& pricer);
  /// Of the last choice.
  [[nodiscard]] std::uint64_t reading() const { return reading_; }

  /// The stages of one bucket, one after another from `start` on.
  netmodels::Result<netmodels::Seconds> price(std::size_t bucket, netmodels::Seconds start, Pricer& pricer,
                                              NetworkPlayer& network);

  /// What one bucket's exchange took in the last step, were each stage longer by so many times its error.
  [[nodiscard]] netmodels::Seconds last_time(std::size_t bucket, double errors) const;
  /// Whether a price of the last step was measured.
  [[nodiscard]] bool measured() const;

  [[nodiscard]] const ExchangePlan& exchange() const { return exchange_; }
  [[nodiscard]] const ComputePlan& compute() const { return compute_; }
  [[nodiscard]] const OverlapRule& overlap() const { return overlap_; }
  /// Per bucket, of the last step.
  [[nodiscard]] const std::vector<std::vector<PricedStage>>& priced() const { return priced_; }
  /// Per worker and step; nothing for printed forms.
  [[nodiscard]] std::optional<netmodels::Bytes> sent() const { return sent_; }
  /// That carries the values; empty where nothing is exchanged.
  [[nodiscard]] std::string_view collective() const {
    return exchange_.open_operations.empty() || chosen_ == nullptr ? std::string_view{} : chosen_->name;
  }

 private:
  void prepare(Pricer& pricer);

  const scenario::Scenario* scenario_;
  StepEnd end_;
  std::uint64_t reading_ = 0;
  OverlapRule overlap_;
  std::unique_ptr<policies::ExchangePolicy> policy_;
  ExchangePlan exchange_;
  ComputePlan compute_;
  const netmodels::Collective* chosen_ = nullptr;
  std::vector<std::vector<Pricer::Handle>> handles_;  ///< per bucket and stage
  std::vector<std::vector<PricedStage>> priced_;
  std::optional<netmodels::Bytes> sent_;
  std::optional<policies::PastExchange> past_;  ///< of the last bucket of the last step
};

}  // namespace sim::engine
