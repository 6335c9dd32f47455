// Post-local SGD: gradients in every step at first, then local steps.
#pragma once

#include <cstdint>

#include "policies/synchronisation_policy.hpp"
#include "settings/moment.hpp"

namespace policies {

/// Before a moment all workers average gradients in every step; from it on, steps kH - 1 (from 0) end with a
/// mean of parameters and all others are local.
///
/// Source: Lin, Stich, Patel & Jaggi, "Don't Use Large Mini-Batches, Use Local SGD", ICLR 2020, section 3
///         (there the moment is the first decay of the learning rate).
class PostLocal final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;                                           ///< H, at least 1
    settings::Moment local_from = {settings::Moment::Unit::step, 1};  ///< a step or an epoch

    bool operator==(const Settings&) const = default;
  };
  explicit PostLocal(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<PostLocal>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
};

void describe(settings::Fields& fields, PostLocal::Settings& settings);
/// A moment of time: policies have no clock.
std::optional<settings::Problem> problem_of(const PostLocal::Settings& settings);

}  // namespace policies
