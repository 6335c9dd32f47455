// 0/1 Adam's schedule: whole gradients ever more rarely, signs of them in between, then local steps.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/synchronisation_policy.hpp"
#include "settings/moment.hpp"

namespace policies {

/// Step t = 1, 2, ... ends with:
///
///   t <= F:  a mean of whole gradients where t is a multiple of k, else one of compressed gradients; k is 1
///            at first, and doubles after every K-th of the former (the steps T_v of the source)
///   t > F:   the mean of the changes that all workers have accumulated, compressed, where t is a multiple of
///            n, else each worker's own step; n is 1 at first, and doubles after every L of these steps until
///            it is H (the steps T_u)
///
/// `freeze_after` is F, `variance_doubles_every` K, `local_doubles_every` L, `local_limit` H. The optimizer
/// `zero_one_adam` makes the steps. A function of the step alone.
///
/// Leaves out: an interval n that follows a learning rate: L is that of its halvings in the source.
/// Source: Lu, Li, Zhang, De Sa & He, "Maximizing Communication Efficiency for Large-scale Training via 0/1
///         Adam", ICLR 2023, algorithm 1; the intervals are DeepSpeed's (`var_freeze_step`,
///         `var_update_scaler`, `local_step_scaler`, `local_step_clipper`).
class ZeroOne final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t freeze_after = 100000;        ///< F, at least 1
    std::int64_t variance_doubles_every = 16;  ///< K, at least 1
    std::int64_t local_doubles_every = 32678;  ///< L, at least 1
    std::int64_t local_limit = 16;             ///< H, at least 1

    bool operator==(const Settings&) const = default;
    /// First step without an exchange of gradients.
    [[nodiscard]] settings::Moment local_from() const {
      return {settings::Moment::Unit::step, static_cast<double>(freeze_after)};
    }
    /// The ways in which steps end.
    [[nodiscard]] std::vector<StepKind> kinds() const;
  };
  explicit ZeroOne(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<ZeroOne>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
};

void describe(settings::Fields& fields, ZeroOne::Settings& settings);

}  // namespace policies
