// Two levels of compression, their gains, and the windows after which the factors move.
#include "policies/gravac.hpp"

#include <algorithm>
#include <cmath>

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

Gravac::Gravac(const Settings& settings)
    : settings_(settings),
      ladder_(factor_ladder(settings.scaling, settings.least, settings.most)),
      floor_{settings.least, {}},
      candidate_{settings.least, {}} {}

CompressionPlan Gravac::plan(const CompressionObservation& seen) {
  weight_ = settings_.smoothing.value_or(weight_by_workers(seen.workers));
  if (candidate_.factor == dense) return {{CompressionChoice{}}, std::nullopt};
  CompressionPlan plan{{{settings_.method, floor_.factor.ratio()}}, std::nullopt};
  if (!one_level()) plan.trials.push_back({settings_.method, candidate_.factor.ratio()});
  return plan;
}

bool Gravac::passes(Level& level, const std::optional<double>& gain) const {
  if (!gain || !std::isfinite(*gain)) return false;
  return level.gain.add(*gain, weight_) >= settings_.gain_threshold;
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
  if (sent_.factor == dense && !settings_.charge_wasted_compression) spent -= outcome.compress;
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

}  // namespace policies
