// AdaComm: local SGD that exchanges more often as the loss falls.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// An exchange in every H-th step, where H follows the loss:
///
///   H = ceil(sqrt(F(x_t) / F(x_0)) H_0), at least 1
///
/// F(x_0) is the loss of the first step, F(x_t) the mean loss of the steps since the last exchange; after
/// each exchange H is set anew. While the loss is not known, H stays.
///
/// Leaves out: intervals of wall-clock time between two settings of H (a policy has no clock), halving H
///         where the loss falls no further, and the learning rate's part in H.
/// Source: Wang & Joshi, "Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in
///         Local-Update SGD", MLSys 2019, section 4.
class AdaComm final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;  ///< H_0, at least 1
    Averaged averaged = Averaged::parameters;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return averaged == Averaged::parameters; }
  };
  explicit AdaComm(const Settings& settings) : AdaComm(settings.every, exchange_of(settings.averaged)) {}
  /// @param first     H_0, at least 1
  /// @param exchange  how an H-th step ends; not stay_local
  AdaComm(std::int64_t first, Synchronisation exchange)
      : first_(first), exchange_(exchange), period_(first) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<AdaComm>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

  /// H: steps from the last exchange to the next.
  [[nodiscard]] std::int64_t period() const { return period_; }

 private:
  void begin_period(std::int64_t step);

  std::int64_t first_;
  Synchronisation exchange_;
  std::int64_t period_;
  std::int64_t begun_ = 0;                    ///< the first step of this period
  std::optional<std::int64_t> exchanged_at_;  ///< the step that ended it
  std::optional<double> first_loss_;
  double sum_of_losses_ = 0;  ///< sum over this period
  std::int64_t losses_ = 0;   ///< number of terms in `sum_of_losses_`
};

void describe(settings::Fields& fields, AdaComm::Settings& settings);

}  // namespace policies
