// QSR: the lower the learning rate, the more local steps between two exchanges.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// An exchange in every H-th step, where H follows the learning rate eta with which a period begins:
///
///   H = max(H_base, floor((alpha / eta)^2))
///
/// During a warm-up of the learning rate eta is the rate at its end. While the rate is not known, H is
/// H_base. The last step of a training ends with an exchange: no period is longer than what is left.
///
/// Source: Gu, Lyu, Arora, Zhang & Huang, "A Quadratic Synchronization Rule for Distributed Deep Learning",
///         ICLR 2024, equation (2).
class Qsr final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;  ///< H_base, at least 1
    double alpha = 0.1;      ///< above 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit Qsr(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<Qsr>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  [[nodiscard]] std::int64_t period_at(std::optional<double> learning_rate) const;

  Settings settings_;
  std::optional<std::int64_t> period_;        ///< H of the period under way
  std::int64_t begun_ = 0;                    ///< first step of the current period
  std::optional<std::int64_t> exchanged_at_;  ///< the step that ended it
};

void describe(settings::Fields& fields, Qsr::Settings& settings);

}  // namespace policies
