// Evaluates a convergence model.
#include "learning/learners/parametric_learner.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "learning/learners/record_curve.hpp"
#include "settings/type.hpp"

namespace learning::learners {
namespace {

/// The curve of a compression; null where it says nothing of ratio 1 and the method changes values there too.
const Curve* known_curve(const std::vector<MethodCurve>& curves, const Compression& compression) {
  const Curve* by_ratio = find_curve(curves, compression);
  return by_ratio != nullptr && (compression.ratio < 1 || by_ratio->back().at == 1) ? by_ratio : nullptr;
}

}  // namespace

ParametricLearner::ParametricLearner(std::shared_ptr<const ConvergenceModel> law, std::string name)
    : law_(std::move(law)), name_(std::move(name)) {}

netmodels::Result<void> ParametricLearner::check(const Compression& compression) const {
  if (sends_all(compression) || known_curve(law_->gains, compression) != nullptr) return {};
  const std::string_view manner = compression.error_feedback ? "with" : "without";
  return netmodels::refuse(
      name_, fmt::format("gains of `{}` {} error feedback are unknown", table_name(compression), manner),
      "fit them to a record, or train live");
}

std::string ParametricLearner::label() const {
  std::string text = fmt::format("parametric model of {} (fitted, not trained: {} on {})", name_, law_->model,
                                 law_->data_set);
  if (law_->squared_norm.empty()) text += "; norms relative to |G|^2 = 1";
  if (departed_) return text + "; accuracy unknown: " + *departed_;
  const double last = law_->accuracy.back().at;
  if (progress_ > last) {
    text += fmt::format("; accuracy unknown beyond {:.3g} of the way to {:.3g}", last, law_->target_accuracy);
  }
  return text;
}

double ParametricLearner::squared_norm(double batch) const {
  const double signal = law_->squared_norm.empty() ? 1 : value_clamped(law_->squared_norm, progress_);
  return signal * (1 + noise_scale(*law_, progress_) / batch);
}

Gradients ParametricLearner::compute(std::span<const Share> shares) {
  assert(!shares.empty());
  shares_.assign(shares.begin(), shares.end());
  Gradients gradients;
  if (!law_->loss.empty()) gradients.loss = value_clamped(law_->loss, progress_);
  for (const Share& share : shares) gradients.squared_norms.push_back(squared_norm(share.samples));
  return gradients;
}

std::optional<double> ParametricLearner::gain(const Compression& compression) const {
  if (sends_all(compression)) return 1;
  const Curve* by_ratio = known_curve(law_->gains, compression);
  if (by_ratio == nullptr) return std::nullopt;
  return value_at_ratio_clamped(*by_ratio, compression.ratio);
}

double ParametricLearner::batch_of(Weights weights) const {
  double sum = 0;
  double inverses = 0;
  for (const Share& share : shares_) {
    sum += share.samples;
    inverses += 1.0 / share.samples;
  }
  const auto workers = static_cast<double>(shares_.size());
  return weights == Weights::by_batch ? sum : workers * workers / inverses;
}

std::optional<double> ParametricLearner::slowdown(const Compression& compression) const {
  if (sends_all(compression)) return 1.0;
  const Curve* by_ratio = known_curve(law_->slowdowns, compression);
  return by_ratio == nullptr ? std::nullopt : value_at_ratio(*by_ratio, compression.ratio);
}

std::optional<std::string> ParametricLearner::departure(const Update& update, double batch) const {
  const auto because = [this](const std::string& what) {
    return fmt::format("step {} {}", steps_ + 1, what);
  };
  if (update.exchange == Exchange::nothing)
    return because("exchanged nothing, and the model does not cover local steps");
  if (update.exchange == Exchange::parameters)
    return because("exchanged parameters, and the model does not cover local steps");
  if (!slowdown(update.compression)) {
    return because("sent " + print_compression(update.compression) +
                   ", whose slowdown the model does not cover");
  }
  constexpr double rounding = 1e-9;
  if (batch < law_->smallest_batch * (1 - rounding) || batch > law_->largest_batch * (1 + rounding)) {
    return because(fmt::format("had a batch of {:.6g}, but the model was fitted to {:.6g} to {:.6g}", batch,
                               law_->smallest_batch, law_->largest_batch));
  }
  return std::nullopt;
}

Updated ParametricLearner::update(const Update& update) {
  assert(!shares_.empty());
  const double batch = batch_of(update.weights);
  if (!departed_) departed_ = departure(update, batch);
  Updated updated;
  updated.noise_scale = noise_scale(*law_, progress_);
  if (update.exchange == Exchange::gradients) {
    if (check(update.compression)) updated.gain = gain(update.compression);
    if (sends_all(update.compression)) updated.mean_squared_norm = squared_norm(batch);
  }
  progress_ += progress_of_step(*law_, progress_, batch, slowdown(update.compression).value_or(1));
  ++steps_;
  return updated;
}

std::optional<Evaluation> ParametricLearner::evaluate() {
  const auto accuracy = value_within(law_->accuracy, progress_);
  if (departed_ || !accuracy) return std::nullopt;
  return Evaluation{value_within(law_->test_loss, progress_), *accuracy};
}

std::unique_ptr<Learner> ParametricLearner::copy() const {
  return std::make_unique<ParametricLearner>(*this);
}

void describe(settings::Fields& fields, ParametricLearner::Settings& settings) {
  fields.field({.name = "file",
                .doc = "The fitted convergence model: a file of scenarios/learners, or a path.",
                .example = "resnet18_cifar10"},
               settings.file);
}

}  // namespace learning::learners
