// DiLoCo: many local steps, then an outer step with momentum on what they changed.
#pragma once

#include <cstdint>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Steps H-1, 2H-1, ... (from 0) end with an outer step, all others are local: the mean change of the
/// parameters since the last outer step is taken as a gradient by SGD with Nesterov's momentum (rate 0.7 and
/// momentum 0.9 in the source, which recommends H in the hundreds). A rate of 1 without momentum is local
/// SGD. `OuterOptimizer` has the other optimizers of that step.
///
/// Streaming: the model is cut into P fragments of equally many values; fragment p takes its outer step after
/// steps t (from 1) with t = floor(p H / P) mod H, so that P times as many exchanges send a P-th each. An
/// exchange overlaps the tau steps that follow; then x = alpha x + (1 - alpha) (the outer fragment) on each
/// worker.
///
/// Eager: an exchange overlaps the whole following round. At an outer step each worker w takes, from its own
/// model, a step on its own change of this round and on those of the others of the round before, which have
/// arrived by then: with s_w(t) the change of worker w in round t, times its weight in the mean (1 / N where
/// all count alike), the gradient of its outer step is -(s_w(t) + sum over u != w of s_u(t - 1)), and its
/// momentum is its own. Workers' models differ by what is still under way. Where changes are compressed,
/// s_w(t) is what the worker sends of its own. Without momentum all of them add up to the changes of all
/// rounds.
///
/// Leaves out: fragments that end where layers do; eager updates of fragments.
/// Source: Douillard et al., "DiLoCo: Distributed Low-Communication Training of Language Models", 2023,
///         Algorithm 1 and section 3; "Streaming DiLoCo with overlapping communication", arXiv:2501.18512,
///         2025, Algorithm 2 (alpha 0.5, tau 1 to 5). Eager: Kale, Douillard & Donchev, "Eager Updates For
///         Overlapped Communication and Computation in DiLoCo", arXiv:2502.12996, 2025.
class DiLoCo final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;       ///< H, at least 1
    double outer_rate = 0.7;      ///< above 0
    double outer_momentum = 0.9;  ///< in [0, 1)
    OuterOptimizer outer = OuterOptimizer::nesterov;
    std::int64_t fragments = 1;  ///< P, at least 1, a divisor of H
    std::int64_t delay = 0;      ///< tau: steps that an exchange overlaps, below H
    double mixing = 0;           ///< alpha, in [0, 1)
    bool eager = false;          ///< not together with fragments, delay or mixing

    bool operator==(const Settings&) const = default;
    [[nodiscard]] std::optional<std::int64_t> period() const { return every / fragments; }
    [[nodiscard]] Streaming streaming() const { return {fragments, eager ? every : delay, mixing, eager}; }
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit DiLoCo(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<DiLoCo>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
};

void describe(settings::Fields& fields, DiLoCo::Settings& settings);
/// More fragments than steps between two exchanges of one, an exchange that overlaps more steps than those,
/// eager updates of fragments or with another delay.
std::optional<settings::Problem> problem_of(const DiLoCo::Settings& settings);

}  // namespace policies
