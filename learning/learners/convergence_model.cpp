// What a law says of a step.
#include "learning/learners/convergence_model.hpp"

#include <algorithm>

#include "learning/learners/record_compression.hpp"

namespace learning::learners {

double growth(const ConvergenceModel& law, double progress) {
  if (law.noise_scale.empty()) return 1;
  return value_clamped(law.noise_scale, progress) / mean_to_one(law.noise_scale);
}

double noise_scale(const ConvergenceModel& law, double progress) {
  return law.noise_scale.empty() ? law.critical_batch : value_clamped(law.noise_scale, progress);
}

double progress_of_step(const ConvergenceModel& law, double progress, double batch, double slowdown) {
  return 1 / (law.least_steps * (1 + law.critical_batch * growth(law, progress) / batch) * slowdown);
}

const Curve* find_curve(const std::vector<MethodCurve>& curves, const Compression& compression) {
  const std::string name = table_name(compression);
  const auto row = std::ranges::find_if(curves, [&](const MethodCurve& curve) {
    return curve.method == name && curve.error_feedback == compression.error_feedback;
  });
  return row == curves.end() ? nullptr : &row->by_ratio;
}

}  // namespace learning::learners
