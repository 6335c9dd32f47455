// Dynamic averaging: local steps until a model has moved far from the one that all had last.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// All average their models after a step in which any worker's model x_w is farther from r, the model that
/// all had after the last exchange (the initial one before the first):
///
///   exchange iff ||x_w - r||^2 > threshold for any worker w
///
/// x_w is the model that the worker begins the step with, so that an exchange comes one local step later than
/// in the source. Where `longest` is given, the models are averaged after that number of steps at the latest.
/// Without known distances all steps stay local but for those that `longest` ends.
///
/// Leaves out: that a coordinator first averages the models of the workers that ask, and of more only while
/// their mean is too far from r. Here all take part, as in the source's static form.
/// Source: Kamp, Adilova, Sicking, Hueger, Schlicht, Wirtz & Wrobel, "Efficient Decentralized Deep Learning
/// by
///         Dynamic Model Averaging", ECML PKDD 2018, Algorithm 1.
class DynamicAveraging final : public SynchronisationPolicy {
 public:
  struct Settings {
    double threshold = 1;                      ///< Delta, squared length in parameter space, at least 0
    std::optional<std::int64_t> longest = {};  ///< steps between two exchanges, at least 1

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit DynamicAveraging(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<DynamicAveraging>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  std::int64_t begun_ = 0;                    ///< first step after the last exchange
  std::optional<std::int64_t> exchanged_at_;  ///< the step that ended with it
};

void describe(settings::Fields& fields, DynamicAveraging::Settings& settings);

}  // namespace policies
