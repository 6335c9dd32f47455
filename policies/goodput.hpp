// Pollux: throughput times statistical efficiency, fitted to a few profiles.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "policies/planner_row.hpp"

namespace policies {

/// The step of Pollux's throughput model,
///
///   T_compute = a_c + b_c b,  T_network = a_n + b_n K (0 for one worker),
///   T_step = (T_compute^g + T_network^g)^(1/g),  g in [1, 10]: 1 adds them, 10 nearly hides the shorter.
struct GoodputModel {
  /// a_c, b_c, a_n, b_n in seconds, at least 0, and g
  std::array<double, 5> parameters{0, 0, 0, 0, 1};

  /// Least squares of the logarithm of the step, by a pattern search from a line through the profiles.
  /// @param seen  with at least one profile
  static GoodputModel fit(const PlanningObservation& seen);

  [[nodiscard]] netmodels::Seconds step(const Configuration& configuration) const;
};

/// Efficiency of a batch of B samples against one of B_0, gain / scale with scale = B / B_0 and
/// gain = (v + s) / (v / scale + s): (B_noise + B_0) / (B_noise + B).
/// @param noise_scale  B_noise = v B_0 / s, samples, at least 0
double goodput_efficiency(double noise_scale, double batch, double first_batch);

/// Goodput = throughput x efficiency. Profiles the corners of the grid; epochs are those of the first profile
/// divided by the efficiency, so that they can only grow with the batch. The noise scale follows from its
/// normalised noise n = gamma / K = (b + B_noise) / (B + B_noise); without it batches count as equally good.
///
/// Leaves out: the gradient accumulation and the two kinds of network (within and between nodes) of the
///         original; its re-fitting while the training runs.
/// Source: Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI
///         2021, sections 3.1 and 3.2.
class Goodput final : public PlanningPolicy {
 public:
  Goodput() = default;
  Goodput(const settings::None&, const PlanningQuestion&) {}

  [[nodiscard]] std::unique_ptr<PlanningPolicy> copy() const override {
    return std::make_unique<Goodput>(*this);
  }
  std::optional<std::size_t> explore(const PlanningObservation& seen) override;
  [[nodiscard]] std::vector<Prediction> predict(const PlanningObservation& seen) const override;

 private:
  std::vector<std::size_t> order_;  ///< order of the profiles; empty until the grid is seen
};

}  // namespace policies
