// Runs derivations and checks in the order that follows from what they need.
#include "sim/scenario/resolving.hpp"

#include <cstddef>
#include <utility>

#include "sim/scenario/resolved_facts.hpp"

namespace sim::scenario {
namespace {

/// Parts that are given, steps that ran, and their errors.
class ResolvingOrder {
 public:
  explicit ResolvingOrder(Resolving& arm) : arm_(arm) {}

  /// Runs the first step that is ready and has not run.
  /// @param done  whether each step ran
  /// @returns whether there was one
  template <class Step>
  bool run_next(std::span<const Step> steps, std::vector<bool>& done) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (done[i] || !given_.contains(steps[i].needs)) continue;
      done[i] = true;
      if (auto ran = steps[i].run(arm_))
        given_ |= steps[i].gives;
      else
        errors_.push_back(std::move(ran.error()));
      return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<netmodels::Error> take_errors() { return std::move(errors_); }

 private:
  Resolving& arm_;
  Parts given_;
  std::vector<netmodels::Error> errors_;
};

}  // namespace

netmodels::Result<void> resolve(Resolving& arm, std::span<const Derivation> order) {
  ResolvingOrder steps(arm);
  std::vector<bool> derived(order.size());
  std::vector<bool> checked(checks().size());
  while (steps.run_next(checks(), checked) || steps.run_next(order, derived)) {
  }
  if (auto errors = steps.take_errors(); !errors.empty())
    return tl::unexpected(netmodels::merge_errors(std::move(errors)));
  for (Feature& offered : resolved_features(arm.scenario)) arm.features.push_back(std::move(offered));
  return {};
}

}  // namespace sim::scenario
