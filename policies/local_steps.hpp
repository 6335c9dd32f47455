// Exchanges at stated times: in every step, in every H-th step, or after rounds of local epochs.
#pragma once

#include <cstdint>
#include <optional>

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

/// The first step that reaches E, 2E, 3E, ... epochs ends with an exchange, all others are local. The mean is
/// of a share C of the workers, whom the caller draws anew in each exchange (a policy draws nothing), and all
/// take it; C = 1 is local SGD counted in epochs. Those who were drawn exchange among themselves: only they
/// send, receive and are charged.
///
/// Leaves out: weights by each worker's samples since the last round; how the mean comes to the
///         others, who train all the same, so that a step is as long as the slowest worker of all takes.
/// Source: McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data",
///         AISTATS 2017; C and E as Tyagi & Swany use them, "Accelerating Distributed ML Training via
///         Selective Synchronization", IEEE CLUSTER 2023, section IV.
class FedAvg final : public SynchronisationPolicy {
 public:
  struct Settings {
    double participants = 1;  ///< C, in (0, 1]
    double every_epochs = 1;  ///< E, above 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool draws() const { return participants < 1; }
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit FedAvg(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<FedAvg>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  double rounds_ = 0;                         ///< that ended
  std::optional<std::int64_t> exchanged_at_;  ///< the last step that ended a round
};

void describe(settings::Fields& fields, FedAvg::Settings& settings);

}  // namespace policies
