// A fitted convergence model of a training over its batch and compression, and its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/learner.hpp"
#include "learning/learners/record_curve.hpp"
#include "learning/learners/record_lines.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

// A fitted convergence model of a training over its batch and compression, as a table of figures.

/// Gain or slow-down of one method, by its ratio.
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
///         moment, whose mean over the training replaces B_crit, is ours.
struct ConvergenceModel {
  std::string model;
  std::string data_set;
  std::int64_t data_set_samples = 1;  ///< samples of the training set: an epoch
  std::vector<Fact> facts;            ///< all of the file, in its order
  double target_accuracy = 1;         ///< in (0, 1]
  double least_steps = 1;             ///< S_min, to the target with batches without end; above 0
  double critical_batch = 0;          ///< B_crit, samples, at least 0
  double smallest_batch = 1;          ///< smallest fitted batch, samples of all workers
  double largest_batch = 1;
  Curve accuracy;                      ///< accuracy by progress, never falling, in [0, 1]
  Curve loss;                          ///< loss of a step's batch by progress, nats; may be empty
  Curve test_loss;                     ///< test loss by progress, nats; may be empty
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

/// The entry of this compression in one of the model's tables; nullptr for none.
const Curve* find_curve(const std::vector<MethodCurve>& curves, const Compression& compression);

// The file of a fitted convergence model: figures and curves as CSV, below facts on their source.

/// Reads a model. Lines `# key: value` precede the table: model, data_set, data_set_samples, source and
/// licence must be there. The header is quantity,method,at,value; a row each for
///   target_accuracy, least_steps, critical_batch, smallest_batch, largest_batch (method and at empty),
///   accuracy, loss, test_loss, noise_scale, squared_norm at a progress (method empty),
///   gain, slowdown of a method at a ratio, with error feedback; gain_raw, slowdown_raw without.
///
/// @param source  named in errors, as `source:line:column`
/// @returns an Error for a fact or quantity that is missing, doubled or unknown; a value out of its
///          range; places of a curve that do not rise; an accuracy that falls; batches out of order; a
///          noise scale of 0 all the way
netmodels::Result<ConvergenceModel> parse_law(std::string_view text, const std::string& source);

/// `parse_law` of a file. Also returns the errors of `read_whole`.
netmodels::Result<ConvergenceModel> read_law(const std::filesystem::path& path);

}  // namespace learning::learners
