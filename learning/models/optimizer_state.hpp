// State that an optimizer keeps from step to step.
#pragma once

#include <vector>

#include "kernels/matrix.hpp"

namespace learning::models {

/// The state of an optimizer.
struct OptimizerState {
  std::vector<kernels::Shape> matrices = {};  ///< shapes of the parameters, in their order; of Muon and LAMB
  std::vector<float> first = {};              ///< velocity (SGD with momentum) or m (Adam and its kin)
  std::vector<float> second = {};  ///< v (Adam and its kin); after the warm-up of 1-bit ones frozen
  double power1 = 1;               ///< beta1^t
  double power2 = 1;               ///< beta2^t, of `second`
  std::vector<double> trust = {};  ///< mean trust ratio of each matrix, of 1-bit LAMB
  // After the warm-up of 1-bit LAMB.
  std::vector<float> fresh = {};     ///< v as it would go on
  double fresh_power2 = 1;           ///< beta2^t, of `fresh`
  std::vector<double> scales = {};   ///< scale of each matrix's momentum where it is sent
  std::vector<double> factors = {};  ///< factor of each matrix's trust ratio in the last step
  // While the variance of 0/1 Adam is frozen.
  std::vector<float> accumulated = {};  ///< change of the parameters since the last exchange
  double accumulated_rate = 0;          ///< sum of the learning rates since then
};

}  // namespace learning::models
