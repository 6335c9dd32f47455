// A synchronisation policy of another program, which a host asks in each step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "policies/policy_host.hpp"
#include "policies/synchronisation_row.hpp"

namespace policies {

constexpr auto names_of(Looks) {
  using enum settings::Capability;
  return std::to_array<settings::Named<Looks>>(
      {{"nothing", Looks::nothing},
       {"loss", Looks::loss, {.needs = {losses}}},
       {"gradients", Looks::gradients, {.needs = {gradients}}},
       {"learning_rate", Looks::learning_rate, {.needs = {learning_rate}}},
       {"models", Looks::models, {.needs = {live_models}}}});
}

/// Asks the host of the process for each decision, and refuses those that the settings rule out: with
/// `averaged: gradients` a step stays local or averages gradients, with `averaged: parameters` it stays local
/// or averages parameters, after the step or before.
///
/// Leaves out: what-ifs: a copy asks the same policy, whose memory is not forked; elastic means, outer steps
///             and momenta.
class External final : public SynchronisationPolicy {
 public:
  struct Settings {
    ExternalSource source;
    Looks looks = Looks::nothing;  ///< inputs that it needs of a learner
    Averaged averaged = Averaged::parameters;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return averaged == Averaged::parameters; }
    /// Refuses a policy that this process cannot ask, or whose source has changed.
    [[nodiscard]] std::optional<settings::Problem> problem_with(int workers) const;
  };
  explicit External(const Settings& settings);

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<External>(*this);
  }
  /// @throws PolicyFailure  where the policy fails, or decides what no step can do
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  std::int64_t run_ = 0;
};

void describe(settings::Fields& fields, External::Settings& settings);

/// Whether another program decides.
inline bool is_external(const SynchronisationRow& row) {
  return row.settings == &settings::owned<External::Settings>;
}

/// Inputs of a policy that only a learner provides: those of its settings, else those of its row.
inline Looks looks_of(const SynchronisationChoice& choice) {
  return is_external(choice.row()) ? choice.as<External::Settings>().looks : choice->traits.looks;
}

}  // namespace policies
