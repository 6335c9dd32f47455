// A fitted law of how a training proceeds with its batch and its compression, as a table of figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/learners/record_curve.hpp"
#include "learning/learners/record_lines.hpp"

namespace learning::learners {

/// What is known of one method by its ratio.
struct MethodCurve {
  std::string method;  ///< as `table_name` writes it
  bool error_feedback = true;
  Curve by_ratio;  ///< ratios in (0, 1); of methods that send every value changed, ratio 1

  bool operator==(const MethodCurve&) const = default;
};

/// Progress is 0 at the start and 1 where the target is reached. A step over B samples makes the progress
///
///   1 / (S_min (1 + B_crit growth / B) slowdown),
///
/// so that without compression the target takes S(B) = S_min (1 + B_crit / B) steps.
/// Leaves out: that the learning rate must suit the batch, and fall with progress, as it did in the
///         trainings that were fitted.
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training", arXiv:1812.06162, 2018,
///         section 2.3, for S(B). That each step's share of the way follows the noise scale of the
///         moment, whose mean over the way stands for B_crit, is ours.
struct ConvergenceModel {
  std::string model;
  std::string data_set;
  std::int64_t data_set_samples = 1;  ///< of the training set: an epoch
  std::vector<Fact> facts;            ///< all of the file, in its order
  double target_accuracy = 1;         ///< in (0, 1]
  double least_steps = 1;             ///< S_min, to the target with batches without end; above 0
  double critical_batch = 0;          ///< B_crit, samples, at least 0
  double smallest_batch = 1;          ///< of those fitted, samples of all workers
  double largest_batch = 1;
  Curve accuracy;                      ///< by progress, never falling, in [0, 1]
  Curve loss;                          ///< of a step's batch by progress, nats; may be empty
  Curve test_loss;                     ///< by progress, nats; may be empty
  Curve noise_scale;                   ///< measured tr(Sigma) / |G|^2 by progress, samples; may be empty
  Curve squared_norm;                  ///< |G|^2 by progress; may be empty
  std::vector<MethodCurve> gains;      ///< ||g_c||^2 / ||g_e||^2
  std::vector<MethodCurve> slowdowns;  ///< steps to the target / steps without compression

  bool operator==(const ConvergenceModel&) const = default;
};

/// Noise scale at this progress / its mean over the way to the target; 1 where none was measured.
double growth(const ConvergenceModel& law, double progress);

/// B_noise at this progress, samples: as measured, or else B_crit, which it equals by theory.
double noise_scale(const ConvergenceModel& law, double progress);

/// @param batch     samples of all workers, above 0
/// @param slowdown  above 0
/// @returns the progress of one step
double progress_of_step(const ConvergenceModel& law, double progress, double batch, double slowdown);

/// What is known of this compression in one of the law's tables; nullptr for nothing.
const Curve* find_curve(const std::vector<MethodCurve>& curves, const Compression& compression);

}  // namespace learning::learners
