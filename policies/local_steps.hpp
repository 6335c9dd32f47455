// Exchanges at stated times: in every step, in every H-th step, or after rounds of local epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/synchronisation_policy.hpp"

namespace policies {

// Bulk-synchronous training: gradients are averaged in every step.

/// Source: Valiant, "A Bridging Model for Parallel Computation", CACM 33(8), 1990.
class EveryStep final : public SynchronisationPolicy {
 public:
  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<EveryStep>(*this);
  }
  Decision decide(const SynchronisationObservation&) override { return Synchronisation::average_gradients; }
};

// Local SGD: the workers exchange in every H-th step.

/// Steps H-1, 2H-1, ... (from 0) end with an exchange, all others are local. With parameters averaged by all
/// workers this is FedAvg with C = 1 and H steps between two rounds.
///
/// Source: Stich, "Local SGD Converges Fast and Communicates Little", ICLR 2019; McMahan et al.,
///         "Communication-Efficient Learning of Deep Networks from Decentralized Data", AISTATS 2017.
class Periodic final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;  ///< H, at least 1
    Averaged averaged = Averaged::parameters;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] std::optional<std::int64_t> period() const { return every; }
    [[nodiscard]] bool exchanges_models() const { return averaged == Averaged::parameters; }
  };
  explicit Periodic(const Settings& settings) : Periodic(settings.every, exchange_of(settings.averaged)) {}
  /// @param every     H, at least 1
  /// @param exchange  how the H-th step ends; not stay_local
  Periodic(std::int64_t every, Synchronisation exchange) : every_(every), exchange_(exchange) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<Periodic>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override {
    return (seen.step + 1) % every_ == 0 ? exchange_ : Synchronisation::stay_local;
  }

 private:
  std::int64_t every_;
  Synchronisation exchange_;
};

void describe(settings::Fields& fields, Periodic::Settings& settings);

// FedAvg: rounds of local epochs, each ended by a mean over some of the workers.

/// A share C of the workers is drawn for each round (by the caller: a policy draws nothing). Only they train,
/// send, receive and are charged; the first step in which they have passed E epochs of their own shares of
/// the data since the last round ends with the mean of their models, which those who are drawn next begin
/// with. C = 1 is local SGD counted in epochs.
///
/// Leaves out: weights by each worker's samples since the last round; how the mean comes to those who are
///             drawn next.
/// Source: McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data",
///         AISTATS 2017; C and E as Tyagi & Swany use them, "Accelerating Distributed ML Training via
///         Selective Synchronization", IEEE CLUSTER 2023, section IV.
class FedAvg final : public SynchronisationPolicy {
 public:
  struct Settings {
    double participants = 1;  ///< C, in (0, 1]
    double every_epochs = 1;  ///< E, above 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] double drawn_share() const { return participants; }
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit FedAvg(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<FedAvg>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  double rounds_ = 0;                         ///< rounds that ended
  std::optional<std::int64_t> exchanged_at_;  ///< the last step that ended a round
  std::int64_t step_ = -1;                    ///< the last one that was seen
  double epoch_before_ = 0;                   ///< reached before it by all
  double own_before_ = 0;  ///< epochs of each participant's share of the data, before this step
  double epoch_ = 0;       ///< reached with it
  double own_ = 0;
  std::vector<std::uint32_t> of_round_;  ///< participants of the last step
};

void describe(settings::Fields& fields, FedAvg::Settings& settings);

}  // namespace policies
