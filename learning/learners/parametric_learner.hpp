// A learner that follows a fitted convergence model without training.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learning/learners/convergence_model.hpp"
#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace learning::learners {

/// Each step makes the progress of `progress_of_step`, and accuracy follows from progress. B is the samples
/// of all shares; where uneven batches b_k are weighted alike, it is the batch whose mean is as noisy,
/// N^2 / sum(1/b_k). Squared norms are the ones to be expected,
///
///   E||g_w||^2 = |G|^2 (1 + B_noise / b_w),   E||mean||^2 = |G|^2 (1 + B_noise / B),
///
/// with |G|^2 = 1 where the model does not have it. Gains are linear in the logarithm of the ratio between
/// known ratios and 1; below the smallest known ratio they are its gain. Slowdowns are not carried below it.
///
/// Accuracy is known while each step exchanges gradients, over as many samples as the model was fitted to,
/// with a compression whose slowdown it knows, and while progress is within the accuracies it knows. From the
/// first step on that does not, it stays unknown, and the label says since when and why; norms and gains go
/// on as if the mean gradient had been taken whole.
///
/// Leaves out: the spread around the expected value; the effect of a change of batch on the learning rate;
///         local steps. Losses that the model does not have.
/// Source: McCandlish et al. 2018 as in `ConvergenceModel`, appendix A.1 for the norms.
class ParametricLearner final : public Learner {
 public:
  struct Settings {
    std::string file;  ///< a path, or the name of a shipped model

    bool operator==(const Settings&) const = default;
  };

  /// @param name  of the model, as labels and errors show it
  ParametricLearner(std::shared_ptr<const ConvergenceModel> law, std::string name);

  /// Whether the model has gains of this compression; to be called before the first step.
  /// @returns an Error that names the model and the missing entry
  [[nodiscard]] netmodels::Result<void> check(const Compression& compression) const override;

  /// 0 at the start, 1 where the target is reached.
  [[nodiscard]] double progress() const { return progress_; }

  [[nodiscard]] std::string label() const override;
  Gradients compute(std::span<const Share> shares) override;
  /// @returns nothing for a compression that `check` refuses
  [[nodiscard]] std::optional<double> gain(const Compression& compression) const override;
  Updated update(const Update& update) override;
  std::optional<Evaluation> evaluate() override;
  [[nodiscard]] std::unique_ptr<Learner> copy() const override;

 private:
  [[nodiscard]] double squared_norm(double batch) const;
  /// Samples whose mean gradient is as noisy as that of the shares.
  [[nodiscard]] double batch_of(Weights weights) const;
  /// How many times more steps this compression needs; nothing where the model does not have it.
  [[nodiscard]] std::optional<double> slowdown(const Compression& compression) const;
  /// Why the model does not cover this step.
  [[nodiscard]] std::optional<std::string> departure(const Update& update, double batch) const;

  std::shared_ptr<const ConvergenceModel> law_;
  std::string name_;
  double progress_ = 0;
  std::int64_t steps_ = 0;
  std::vector<Share> shares_;
  std::optional<std::string> departed_;  // first step that the model does not cover
};

void describe(settings::Fields& fields, ParametricLearner::Settings& settings);

}  // namespace learning::learners
