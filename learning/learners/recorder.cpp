// Keeps the statistics of a live training.
#include "learning/learners/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "kernels/catalogue.hpp"
#include "kernels/statistics.hpp"
#include "settings/type.hpp"

namespace learning::learners {

// The keys of a recording, and what is refused.

static std::span<const ::settings::TableWord> recorded_names() {
  static const std::vector<::settings::TableWord> names = ::settings::names_in(kernels::wire_formats());
  return names;
}

void describe(settings::Fields& fields, Recording& recording) {
  fields.field({.name = "every",
                .doc = "Steps from one recorded step to the next; the relative change of the gradient "
                       "(`selsync`) is recorded in every step.",
                .fallback = "20",
                .bounds = settings::between(1, 1e9)},
               recording.every);
  fields.field({.name = "method",
                .doc = "Compression whose gains are recorded.",
                .fallback = "topk",
                .words = recorded_names},
               recording.method);
  fields.field({.name = "ratios",
                .doc = "Compression ratios whose gains are recorded, with and without error feedback.",
                .bounds = {.min = 0, .max = 1, .open_below = true, .open_above = true},
                .example = "[10 %, 1 %, 0.1 %]",
                .share = true},
               recording.ratios);
  fields.field(
      {.name = "gain_over",
       .doc = "What a gain with error feedback is a share of: the gradient with what earlier steps left "
              "unsent, as published, or the gradient alone, as in GraVAC's released code.",
       .fallback = "error_fed"},
      recording.gain_over);
}

std::optional<settings::Problem> problem_of(const Recording& recording) {
  for (std::size_t i = 0; i < recording.ratios.size(); ++i) {
    if (std::ranges::count(recording.ratios, recording.ratios[i]) > 1)
      return settings::Problem{fmt::format("ratios[{}]", i), "duplicate ratio", "name each ratio once"};
  }
  const auto format = kernels::find_wire_format(recording.method);
  if (!format) return settings::Problem{"method", format.error().what, format.error().hint};
  if ((*format)->sparse && recording.method != "ar_topk" && recording.method != "threshold") return {};
  return settings::Problem{"method", "`" + recording.method + "` has no gain at a given ratio",
                           "write a sparse method such as `topk`"};
}

// Feeding the shadows and writing down every n-th step.

namespace {

/// sum ||g||^2 of the weighted gradients, over the workers.
double squared_norms_of(std::span<const Contribution> contributions) {
  double sum = 0;
  for (const Contribution& each : contributions)
    sum +=
        kernels::energy(each.gradient) * static_cast<double>(each.weight) * static_cast<double>(each.weight);
  return sum;
}

/// A training that diverged has figures that are no numbers; they were not measured.
void keep(Curve& curve, double at, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) curve.push_back({at, *value});
}

}  // namespace

Recorder::Recorder(Recording settings, RecordFacts facts, const std::vector<std::int64_t>& layer_sizes,
                   std::uint64_t seed)
    : settings_(std::move(settings)), shadows_(settings_.ratios.size(), GradientExchange(layer_sizes, seed)) {
  record_.facts = std::move(facts);
  record_.change_measure =
      policies::ChangeMeasure{policies::usual_change_window,
                              policies::weight_by_workers(static_cast<std::uint32_t>(record_.facts.workers))};
  changes_.assign(static_cast<std::size_t>(record_.facts.workers),
                  policies::RelativeChange(record_.change_measure->window));
  record_.gains_of = settings_.ratios.empty() ? "" : settings_.method;
  if (settings_.gain_over == GainOver::gradient)
    record_.facts.others.push_back(
        {"gains_over", "||g||^2 of the gradient alone, without what was left unsent"});
  record_.squared_norms.resize(static_cast<std::size_t>(record_.facts.workers));
  std::ranges::sort(settings_.ratios);
  for (const bool fed : {true, false}) {
    for (const double ratio : settings_.ratios) record_.gains.push_back({ratio, fed, {}});
  }
}

void Recorder::add_gains(std::span<const Contribution> contributions, bool kept) {
  const auto at = static_cast<double>(step_);
  std::vector<float> unused(contributions.front().gradient.size());
  for (std::size_t i = 0; i < shadows_.size(); ++i) {
    const Compression fed{settings_.method, settings_.ratios[i], true, false};
    const Compression raw{settings_.method, settings_.ratios[i], false, false};
    if (kept) {
      GradientExchange memoryless = shadows_[i].without_memory();
      keep(record_.gains[shadows_.size() + i].by_step, at,
           memoryless.mean(raw, step_, contributions, unused).gain);
    }
    const MeanGradient mean = shadows_[i].mean(fed, step_, contributions, unused);
    if (!kept) continue;
    const bool over_gradient = settings_.gain_over == GainOver::gradient;
    keep(record_.gains[i].by_step, at,
         over_gradient ? mean.sent / squared_norms_of(contributions) : mean.gain);
  }
}

void Recorder::add_change(const RecordedStep& step) {
  std::optional<double> largest;
  for (std::size_t i = 0; i < step.shares.size(); ++i) {
    const auto change = changes_[step.shares[i].worker].add(step.gradients->squared_norms[i],
                                                            record_.change_measure->smoothing);
    if (change) largest = std::max(*change, largest.value_or(*change));
  }
  keep(record_.relative_change, static_cast<double>(step_), largest);
}

void Recorder::add(const RecordedStep& step) {
  ++step_;
  add_change(step);
  for (const Share& share : step.shares) samples_ += share.samples;
  const bool kept = step_ % settings_.every == 0 || step_ == 1;
  add_gains(step.contributions, kept);
  if (!kept) return;
  const auto at = static_cast<double>(step_);
  keep(record_.samples, at, samples_);
  keep(record_.learning_rate, at, step.learning_rate);
  keep(record_.loss, at, step.gradients->loss);
  keep(record_.mean_squared_norm, at, step.updated->mean_squared_norm);
  keep(record_.noise_scale, at, step.updated->noise_scale);
  for (std::size_t i = 0; i < step.shares.size(); ++i)
    keep(record_.squared_norms[step.shares[i].worker], at, step.gradients->squared_norms[i]);
}

void Recorder::add(const Evaluation& evaluation) {
  const auto at = static_cast<double>(step_);
  if (!record_.accuracy.empty() && record_.accuracy.back().at == at) return;
  record_.accuracy.push_back({at, evaluation.accuracy});
  keep(record_.test_loss, at, evaluation.loss);
}

}  // namespace learning::learners
