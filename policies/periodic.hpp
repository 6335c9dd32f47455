// Local SGD: the workers exchange in every H-th step.
#pragma once

#include <cstdint>

#include "policies/synchronisation_policy.hpp"

namespace policies {

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

}  // namespace policies
