// Profiles the first configuration and believes that all are like it.
#pragma once

#include "policies/planner_row.hpp"

namespace policies {

class FirstAlone final : public PlanningPolicy {
 public:
  FirstAlone(const settings::None&, const PlanningQuestion&) {}

  [[nodiscard]] std::unique_ptr<PlanningPolicy> copy() const override {
    return std::make_unique<FirstAlone>(*this);
  }
  std::optional<std::size_t> explore(const PlanningObservation& seen) override {
    return seen.profiled.empty() ? std::optional<std::size_t>(0) : std::nullopt;
  }
  [[nodiscard]] std::vector<Prediction> predict(const PlanningObservation& seen) const override {
    const Profile& known = seen.profiled.front();
    std::vector<Prediction> all;
    for (const Configuration& at : seen.grid)
      all.push_back(predict_training(seen, at, known.epochs, known.step));
    return all;
  }
};

}  // namespace policies
