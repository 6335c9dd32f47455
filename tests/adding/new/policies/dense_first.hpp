// Post-local SGD: an exchange in every step at first, local steps afterwards.
#pragma once

#include <cstdint>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Gradients are averaged in the first steps; later parameters in every H-th.
///
/// Source: Lin, Stich, Patel & Jaggi, "Don't Use Large Mini-batches, Use Local SGD", ICLR 2020.
class DenseFirst final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t dense_steps = 100;  ///< dense steps at the beginning, at least 0
    std::int64_t every = 10;         ///< H, at least 1

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return true; }
    [[nodiscard]] std::optional<std::int64_t> period() const { return every; }
  };
  explicit DenseFirst(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<DenseFirst>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override {
    if (seen.step < settings_.dense_steps) return Synchronisation::average_gradients;
    return (seen.step + 1) % settings_.every == 0 ? Synchronisation::average_parameters
                                                  : Synchronisation::stay_local;
  }

 private:
  Settings settings_;
};

void describe(settings::Fields& fields, DenseFirst::Settings& settings);

}  // namespace policies
