// Runs derivations and checks in the order that follows from what they need.
#include "sim/scenario/resolving.hpp"

#include <algorithm>
#include <utility>

#include "sim/scenario/resolved_facts.hpp"

namespace sim::scenario {
namespace {

/// Parts that are given, steps that ran, and their errors.
class ResolvingOrder {
 public:
  explicit ResolvingOrder(Resolving& arm) : arm_(arm) {}

  /// Runs the first step that is ready, and takes it off the list.
  /// @returns whether there was one
  template <class Step>
  bool run_next(std::vector<const Step*>& waiting) {
    const auto ready =
        std::ranges::find_if(waiting, [this](const Step* step) { return given_.contains(step->needs); });
    if (ready == waiting.end()) return false;
    const Step& step = **ready;
    waiting.erase(ready);
    if (auto ran = step.run(arm_))
      given_ |= step.gives;
    else
      errors_.push_back(std::move(ran.error()));
    return true;
  }

  [[nodiscard]] std::vector<netmodels::Error> take_errors() { return std::move(errors_); }

 private:
  Resolving& arm_;
  Parts given_;
  std::vector<netmodels::Error> errors_;
};

template <class Step>
std::vector<const Step*> pointers_to(std::span<const Step> steps) {
  std::vector<const Step*> pointers;
  pointers.reserve(steps.size());
  for (const Step& step : steps) pointers.push_back(&step);
  return pointers;
}

}  // namespace

netmodels::Result<void> resolve(Resolving& arm, std::span<const Derivation> order) {
  ResolvingOrder steps(arm);
  auto to_check = pointers_to(checks());
  auto to_derive = pointers_to(order);
  while (steps.run_next(to_check) || steps.run_next(to_derive)) {
  }
  if (auto errors = steps.take_errors(); !errors.empty())
    return tl::unexpected(netmodels::merge_errors(std::move(errors)));
  for (Feature& offered : resolved_features(arm.scenario.work, arm.scenario.cluster, arm.scenario.exchange))
    arm.features.push_back(std::move(offered));
  return {};
}

}  // namespace sim::scenario
