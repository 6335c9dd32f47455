// Warm-up, exploration of candidates, search for the ratio, and the choice of method in every step.
#include "policies/flexible_compression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/sparse_exchange.hpp"
#include "settings/type.hpp"

namespace policies {
namespace {

constexpr std::string_view gathered_method = FlexibleCompression::methods[0];
constexpr std::string_view reduced_method = FlexibleCompression::methods[1];

SparseGradient gradient(const CompressionObservation& seen, double ratio) {
  return {seen.workers, netmodels::Bytes{4 * static_cast<double>(seen.values)} * ratio};
}

bool moved(double now, double before, double share) { return std::abs(now - before) > share * before; }

}  // namespace

FlexibleCompression::FlexibleCompression(const Settings& settings, const CompressionJob& job)
    : settings_(settings),
      job_(job),
      ratio_(settings.ratios.front()),
      changes_(settings.gain_window, settings.gain_discount),
      gains_(10 * settings.gain_window, settings.gain_discount) {}

CompressionPlan FlexibleCompression::plan(const CompressionObservation& seen) {
  if (!job_.warm_up.over(seen.done, seen.epoch)) {
    const double ratio = job_.warm_up.at(seen.epoch, settings_.ratios.front());
    return {{cheaper_method(seen, ratio, job_.hysteresis)}, std::nullopt};
  }
  if (exploration_is_due(seen)) {
    phase_ = Phase::exploring;
    trials_.assign(1, {});
    ++experiment_;
  }
  if (phase_ == Phase::exploring) {
    const bool method = reduces_;
    CompressionPlan plan{{cheaper_method(seen, settings_.ratios[trials_.size() - 1], 0)}, experiment_};
    reduces_ = method;  // an experiment leaves no trace in the method either
    return plan;
  }
  phase_ = Phase::running;
  if (search_is_due(seen)) search(seen);
  return {{cheaper_method(seen, ratio_, job_.hysteresis)}, std::nullopt};
}

void FlexibleCompression::learn(const CompressionOutcome& outcome) {
  if (phase_ == Phase::exploring) explore(outcome);
  if (phase_ == Phase::running) watch(outcome);
}

CompressionChoice FlexibleCompression::cheaper_method(const CompressionObservation& seen, double ratio,
                                                      double hysteresis) {
  if (ratio >= 1) return {};
  if (seen.network) {
    const netmodels::LinkState link{seen.network->latency, seen.network->bandwidth};
    const SparseGradient kept = gradient(seen, ratio);
    const netmodels::Seconds gathered = exchange_time(SparseExchange::all_gather, kept, link);
    const netmodels::Seconds reduced = std::min(exchange_time(SparseExchange::ar_topk_ring, kept, link),
                                                exchange_time(SparseExchange::ar_topk_tree, kept, link));
    const double share = 1 - hysteresis;
    reduces_ = reduces_ ? gathered >= share * reduced : reduced < share * gathered;
  }
  return {reduces_ ? reduced_method : gathered_method, ratio};
}

bool FlexibleCompression::exploration_is_due(const CompressionObservation& seen) const {
  return phase_ != Phase::exploring && gains_are_old_ && seen.network && settings_.ratios.size() > 1;
}

void FlexibleCompression::explore(const CompressionOutcome& outcome) {
  Trial& trial = trials_.back();
  trial.compress += outcome.compress.count;
  trial.compute += outcome.compute.count;
  if (outcome.gain && std::isfinite(*outcome.gain)) {
    trial.gain += converted_gain(*outcome.gain, settings_.gain_of);
    ++trial.gains_known;
  }
  if (++trial.steps < settings_.steps_each) return;
  if (trials_.size() == settings_.ratios.size()) {
    end_exploration();
  } else {
    trials_.emplace_back();
    ++experiment_;
  }
}

void FlexibleCompression::end_exploration() {
  std::vector<RatioPoint> gains;
  std::vector<RatioPoint> times;
  double compute = 0;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i];
    if (trial.gains_known == 0 || !(trial.gain > 0)) continue;
    gains.push_back({settings_.ratios[i], trial.gain / static_cast<double>(trial.gains_known)});
    times.push_back({settings_.ratios[i], trial.compress / static_cast<double>(trial.steps)});
    compute += trial.compute / static_cast<double>(trial.steps);
  }
  if (!gains.empty()) {
    compute /= static_cast<double>(gains.size());
    profile_ = Profile{RatioCurve::rising(std::move(gains)), RatioCurve(std::move(times)), compute};
    profile_is_new_ = true;
  }
  gains_are_old_ = false;
  watched_.reset();
  phase_ = Phase::running;
  trials_.clear();
}

bool FlexibleCompression::search_is_due(const CompressionObservation& seen) const {
  if (!profile_ || !seen.network) return false;
  if (!searched_on_ || (profile_is_new_ && settings_.search == SearchMoment::after_exploration)) return true;
  const double share = settings_.network_change;
  return moved(seen.network->latency.count, searched_on_->latency.count, share) ||
         moved(seen.network->bandwidth.count, searched_on_->bandwidth.count, share);
}

double FlexibleCompression::fastest(std::span<const ParetoPoint> front) const {
  const auto time_per_gain = [this](const ParetoPoint& point) {
    const double step = profile_->compute + profile_->compress.at(point.ratio) + point.objectives[0];
    return step * point.objectives[1];
  };
  return std::ranges::min_element(front, {}, time_per_gain)->ratio;
}

void FlexibleCompression::search(const CompressionObservation& seen) {
  const netmodels::LinkState link{seen.network->latency, seen.network->bandwidth};
  const bool counts_compression = settings_.compression_weight > 0;
  const RatioObjectives objectives = [&](double ratio) {
    const SparseGradient kept = gradient(seen, ratio);
    std::vector<double> costs{exchange_time(cheapest_exchange(kept, link), kept, link).count,
                              1 / profile_->gain.at(ratio)};
    if (counts_compression) costs.push_back(profile_->compress.at(ratio));
    return costs;
  };
  std::vector<double> weights{settings_.time_weight, 1 - settings_.time_weight};
  if (counts_compression) weights.push_back(settings_.compression_weight);
  const auto [least, most] = std::ranges::minmax(settings_.ratios);
  const auto front = pareto_front(settings_.solver, objectives, {least, most}, job_.seed);
  ratio_ = settings_.choice == RatioRule::fastest ? fastest(front) : knee(front, weights).ratio;
  searched_on_ = seen.network;
  profile_is_new_ = false;
}

void FlexibleCompression::watch(const CompressionOutcome& outcome) {
  if (!outcome.gain || !std::isfinite(*outcome.gain)) return;
  const double gain = converted_gain(*outcome.gain, settings_.gain_of);
  if (watched_ != outcome.sent) {
    watched_ = outcome.sent;
    last_gain_.reset();
    changes_.clear();
    gains_.clear();
    gain_before_.reset();
  }
  if (settings_.gain_trigger == GainTrigger::drift) {
    watch_drift(gain);
  } else {
    watch_steps(gain);
  }
}

void FlexibleCompression::watch_steps(double gain) {
  if (last_gain_ && *last_gain_ > 0) changes_.add(std::abs(gain - *last_gain_) / *last_gain_);
  last_gain_ = gain;
  const std::optional<double> change = changes_.value();
  if (change && *change >= settings_.gain_change) gains_are_old_ = true;
}

void FlexibleCompression::watch_drift(double gain) {
  gains_.add(gain);
  const std::optional<double> mean = gains_.value();
  if (!mean) return;
  if (!gain_before_) gain_before_ = mean;
  if (std::abs(*mean - *gain_before_) >= settings_.gain_change * *gain_before_) gains_are_old_ = true;
}

void describe(settings::Fields& fields, FlexibleCompression::Settings& settings) {
  fields.field(
      {.name = "ratios",
       .doc =
           "Candidates, tried one after another; the chosen ratio is between the smallest and the largest.",
       .bounds = settings::above_up_to(0, 1),
       .example = "[10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]",
       .need = settings::Need::required,
       .share = true},
      settings.ratios);
  fields.field({.name = "steps_each",
                .doc = "Steps for which each candidate is tried.",
                .fallback = "10",
                .bounds = settings::between(1, 1e6)},
               settings.steps_each);
  fields.field({.name = "gain_change",
                .doc = "Relative change of the gain above which candidates are tried again.",
                .fallback = "10 %",
                .bounds = settings::above_up_to(0, 1e6),
                .share = true},
               settings.gain_change);
  fields.field(
      {.name = "gain_window",
       .doc = "Changes of the gain that are averaged before they are compared; ten times as many gains for "
              "`gain_trigger: drift`.",
       .fallback = "5",
       .bounds = settings::between(1, 1e6)},
      settings.gain_window);
  fields.field({.name = "gain_discount",
                .doc = "Decay of older values in that average.",
                .fallback = "1 %",
                .bounds = settings::from_to_below(0, 1),
                .share = true},
               settings.gain_discount);
  fields.field(
      {.name = "network_change",
       .doc = "Relative change of probed latency or bandwidth above which the ratio is chosen again.",
       .fallback = "10 %",
       .bounds = settings::between(0, 1e6),
       .share = true},
      settings.network_change);
  fields.field({.name = "time_weight",
                .doc = "Weight of time in the choice from the Pareto front; the rest is the gain's.",
                .fallback = "0.6",
                .bounds = settings::between(0, 1),
                .share = true},
               settings.time_weight);
  fields.field({.name = "compression_weight",
                .doc = "Weight of the compression time as a third objective beside these two; 0: not used.",
                .fallback = "0",
                .bounds = settings::between(0, 1e6),
                .example = "0.4"},
               settings.compression_weight);
  fields.field(
      {.name = "gain_trigger",
       .doc = "What is compared with `gain_change`: the gain's steps, or its drift since the candidates "
              "were tried.",
       .fallback = "step"},
      settings.gain_trigger);
  fields.field({.name = "search",
                .doc = "When the ratio is chosen again: after each exploration too, or only when the network "
                       "changes, as published.",
                .fallback = "after_exploration"},
               settings.search);
  fields.field({.name = "choice",
                .doc = "The knee of exchange time against gain, or the smallest step time per gain.",
                .fallback = "knee"},
               settings.choice);
  describe_gain_of(fields, settings.gain_of);
  fields.field({.name = "solver", .doc = "How the Pareto front is found.", .fallback = "exact"},
               settings.solver);
}

}  // namespace policies
