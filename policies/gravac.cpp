// Two levels of compression, their gains, and the windows after which the factors move.
#include "policies/gravac.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "settings/type.hpp"

namespace policies {
namespace {

constexpr CompressionFactor dense{1};

}  // namespace

std::vector<CompressionFactor> factor_ladder(FactorScaling scaling, CompressionFactor least,
                                             CompressionFactor most) {
  std::vector<CompressionFactor> ladder{least};
  for (double exponent = 1; ladder.back() < most;) {
    ladder.push_back(std::min(most, CompressionFactor{least.value * std::exp2(exponent)}));
    exponent = scaling == FactorScaling::exponential ? 2 * exponent : exponent + 1;
  }
  return ladder;
}

Gravac::Gravac(const Settings& settings, const CompressionJob& job)
    : settings_(settings),
      method_(job.stated.method),
      ladder_(factor_ladder(settings.scaling, {settings.min_factor}, {settings.max_factor})),
      floor_{{settings.min_factor}, {}},
      candidate_{{settings.min_factor}, {}} {}

CompressionPlan Gravac::plan(const CompressionObservation& seen) {
  weight_ = settings_.smoothing.value_or(weight_by_workers(seen.workers));
  if (candidate_.factor == dense) return {{CompressionChoice{}}, std::nullopt};
  CompressionPlan plan{{{method_, floor_.factor.ratio()}}, std::nullopt};
  if (!one_level()) plan.trials.push_back({method_, candidate_.factor.ratio()});
  return plan;
}

bool Gravac::passes(Level& level, const std::optional<double>& gain) const {
  if (!gain || !std::isfinite(*gain)) return false;
  return level.gain.add(*gain, weight_) >= settings_.gain;
}

std::optional<std::size_t> Gravac::choose(const CompressionTrials& shown) {
  sent_ = {dense, {}};
  if (candidate_.factor == dense) return std::nullopt;
  const bool floor_passes = passes(floor_, shown.gains.front());
  if (one_level()) {
    candidate_ = floor_;
  } else if (passes(candidate_, shown.gains.back())) {
    sent_ = candidate_;
    return 1;
  }
  if (!floor_passes) return std::nullopt;
  sent_ = floor_;
  return 0;
}

void Gravac::learn(const CompressionOutcome& outcome) {
  netmodels::Seconds spent = outcome.step;
  if (sent_.factor == dense && settings_.as_printed) spent -= outcome.compress;
  const double gain = sent_.gain.value().value_or(1.0);  // dense
  note(sent_.factor, static_cast<double>(outcome.samples) / spent.count * gain);
  if (++steps_ % settings_.window == 0 && !settled_) end_window();
}

void Gravac::note(CompressionFactor factor, double samples_per_second) {
  const auto known = std::ranges::find(throughputs_, factor, &Throughput::factor);
  if (known == throughputs_.end()) {
    throughputs_.push_back({factor, samples_per_second});
  } else {
    known->samples_per_second = samples_per_second;
  }
}

void Gravac::end_window() {
  climb();
  if (const auto ideal = saturation()) settle(*ideal);
}

void Gravac::climb() {
  const Level tried = candidate_;
  const auto next = std::ranges::upper_bound(ladder_, tried.factor, {}, {});
  if (next != ladder_.end()) candidate_ = {*next, {}};
  if (tried.factor == floor_.factor || !tried.gain.value() || !floor_.gain.value()) return;
  const double floor_gain = *floor_.gain.value();
  if (std::abs(floor_gain - *tried.gain.value()) > settings_.tolerance * floor_gain) return;
  floor_ = settings_.as_printed ? candidate_ : tried;
}

std::optional<CompressionFactor> Gravac::saturation() {
  if (throughputs_.size() < 2) return std::nullopt;
  std::ranges::stable_sort(throughputs_, std::ranges::greater{}, &Throughput::samples_per_second);
  const Throughput& best = throughputs_[0];
  const Throughput& second = throughputs_[1];
  const double difference = best.samples_per_second - second.samples_per_second;
  if (!(difference <= settings_.tolerance * second.samples_per_second)) return std::nullopt;
  return settings_.as_printed ? second.factor : std::min(best.factor, second.factor);
}

void Gravac::settle(CompressionFactor ideal) {
  settled_ = true;
  if (ideal == floor_.factor) {
    candidate_ = floor_;
  } else if (ideal != candidate_.factor) {
    candidate_ = {ideal, {}};
  }
  if (ideal < floor_.factor) floor_ = candidate_;
}

void describe(settings::Fields& fields, Gravac::Settings& settings) {
  fields.field({.name = "min_factor",
                .doc = "Initial lower bound of the compression factor, original / kept (theta_min).",
                .fallback = "10",
                .bounds = settings::between(1, 1e9),
                .former = "least_factor"},
               settings.min_factor);
  fields.field({.name = "max_factor",
                .doc = "Largest compression factor (theta_max).",
                .fallback = "1000",
                .bounds = settings::between(1, 1e9),
                .former = "most_factor"},
               settings.max_factor);
  fields.field({.name = "gain",
                .doc = "Required compression gain (epsilon).",
                .fallback = "0.7",
                .bounds = settings::above_up_to(0, 1)},
               settings.gain);
  fields.field({.name = "tolerance",
                .doc = "Relative difference that counts as a tie (omega).",
                .fallback = "1 %",
                .bounds = settings::between(0, 1),
                .share = true},
               settings.tolerance);
  fields.field({.name = "window",
                .doc = "Steps between two decisions.",
                .fallback = "500",
                .bounds = settings::between(1, 1e12)},
               settings.window);
  fields.field({.name = "scaling", .doc = "Order of the candidates.", .fallback = "exponential"},
               settings.scaling);
  fields.field({.name = "smoothing",
                .doc = "Weight of a new gain in its moving average; without it, workers / 100.",
                .bounds = settings::above_up_to(0, 1),
                .example = "0.16"},
               settings.smoothing);
  fields.field({.name = "as_printed",
                .doc = "Whether Algorithm 1 is followed exactly where the text differs.",
                .fallback = "false"},
               settings.as_printed);
}

std::optional<settings::Problem> problem_of(const Gravac::Settings& settings) {
  if (settings.max_factor >= settings.min_factor) return std::nullopt;
  return settings::Problem{"max_factor", "it is below `min_factor`",
                           fmt::format("write at least {:g}", settings.min_factor)};
}

}  // namespace policies
