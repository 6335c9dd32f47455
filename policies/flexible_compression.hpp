// Flexible communication: all-gather or AR-Topk by their cost, and the ratio by time against gain.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/compression_policy.hpp"
#include "policies/gain_meaning.hpp"
#include "policies/moving_average.hpp"
#include "policies/pareto_ratio.hpp"

namespace policies {

/// The change of the gain that is compared with `gain_change`.
enum class GainTrigger : std::uint8_t {
  step,   ///< the mean change from one step to the next, as published
  drift,  ///< the distance of its moving average from that at the time the ratio was chosen
};

constexpr auto names_of(GainTrigger) {
  return std::to_array<settings::Named<GainTrigger>>(
      {{"step", GainTrigger::step}, {"drift", GainTrigger::drift}});
}

/// Rule that takes a ratio of the front.
enum class RatioRule : std::uint8_t {
  knee,     ///< knee of f_1 and f_2, as published
  fastest,  ///< least (compute + compression + f_1) f_2: time per unit of gain
};

constexpr auto names_of(RatioRule) {
  return std::to_array<settings::Named<RatioRule>>(
      {{"knee", RatioRule::knee}, {"fastest", RatioRule::fastest}});
}

/// The triggers of a search besides a changed network.
enum class SearchMoment : std::uint8_t {
  after_exploration,  ///< new gains, at once
  network_change,     ///< nothing, as published: new gains wait for the network to change
};

constexpr auto names_of(SearchMoment) {
  return std::to_array<settings::Named<SearchMoment>>({{"after_exploration", SearchMoment::after_exploration},
                                                       {"network_change", SearchMoment::network_change}});
}

/// Chooses in each step the method whose exchange the cost models call cheaper for the current ratio, on the
/// network as last probed; before any probe the all-gathered one.
///
/// After the warm-up each candidate ratio is tried for some steps as an experiment, which gives its gain. The
/// search then weighs
///
///   f_1(c) = exchange time at c, the cheapest way    f_2(c) = 1 / gain(c)    [f_3(c) = compression time]
///
/// over all c between the least and the greatest candidate and keeps the knee of their Pareto front. f_1 is
/// the closed form itself; gain and compression time are read between the candidates off a RatioCurve. It is
/// repeated when the probed latency or bandwidth has moved away from that at the last search, and the
/// candidates are tried again when the gain of what is sent changes from step to step by much:
///
///   mean over a window of |gain_i - gain_(i-1)| / gain_(i-1) >= gain_change
///
/// On small models gains jump by that much in every step; `GainTrigger::drift` looks past the noise at
/// |mean of the gain now - mean then| / mean then, over windows of ten times as many steps, `then` the first
/// window at this ratio.
///
/// While one way is the cheapest at all candidates f_1 is a straight line, and normalised the same one on
/// every network: latency and bandwidth move the knee only where the cheapest way changes between the
/// candidates. `RatioRule::fastest` weighs a step's whole time against its gain and so follows the network.
///
/// Without a probe, or where no learner knows gains, the ratio stays at the first candidate; with one
/// candidate only the method is chosen.
///
/// Both alternatives are ours, not the paper's.
///
/// Leaves out: the cost of switching in the choice (the engine charges it); the dense gradient as an
///             alternative; the fitted curves of the released code (RatioCurve says why).
/// Source: Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over Unpredictable
///         Networks", IEEE BigData 2023, sections 3-D and 3-E, and its released code.
class FlexibleCompression final : public CompressionPolicy {
 public:
  /// All-gathered; indices broadcast and values all-reduced.
  static constexpr std::array<std::string_view, 2> methods{"topk", "ar_topk"};

  struct Settings {
    std::vector<double> ratios;     ///< candidates, at least one, each in (0, 1]
    std::int64_t steps_each = 10;   ///< steps of an exploration, at least 1
    double gain_change = 0.1;       ///< above 0
    std::size_t gain_window = 5;    ///< changes, at least 1
    double gain_discount = 0.01;    ///< weight of the older changes, in [0, 1)
    double network_change = 0.1;    ///< share by which latency or bandwidth moves, at least 0
    double time_weight = 0.6;       ///< weight of f_1 in the choice of the knee, in [0, 1]; f_2 has the rest
    double compression_weight = 0;  ///< weight of f_3, at least 0; 0: no objective, as in the code
    GainTrigger gain_trigger = GainTrigger::step;
    SearchMoment search = SearchMoment::after_exploration;
    RatioRule choice = RatioRule::knee;
    GainMeaning gain_of = GainMeaning::squared;
    ParetoSolver solver = ParetoSolver::exact;

    bool operator==(const Settings&) const = default;
  };

  /// @param job  `stated` is not looked at; the warm-up leads to the first candidate; the seed is NSGA-II's
  FlexibleCompression(const Settings& settings, const CompressionJob& job);

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<FlexibleCompression>(*this);
  }
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome& outcome) override;

 private:
  enum class Phase { warming, exploring, running };
  /// Totals over the steps of one candidate.
  struct Trial {
    std::int64_t steps = 0;
    std::int64_t gains_known = 0;
    double gain = 0;      ///< sum
    double compress = 0;  ///< sum, seconds
    double compute = 0;   ///< sum, seconds
  };
  /// Profile of all ratios by the last exploration.
  struct Profile {
    RatioCurve gain;
    RatioCurve compress;  ///< seconds
    double compute;       ///< seconds, at any ratio
  };

  [[nodiscard]] bool exploration_is_due(const CompressionObservation& seen) const;
  [[nodiscard]] bool search_is_due(const CompressionObservation& seen) const;
  [[nodiscard]] CompressionChoice cheaper_method(const CompressionObservation& seen, double ratio,
                                                 double hysteresis);
  [[nodiscard]] double fastest(std::span<const ParetoPoint> front) const;
  void search(const CompressionObservation& seen);
  void watch(const CompressionOutcome& outcome);
  void watch_steps(double gain);
  void watch_drift(double gain);
  void explore(const CompressionOutcome& outcome);
  void end_exploration();

  Settings settings_;
  CompressionJob job_;
  Phase phase_ = Phase::warming;
  double ratio_;
  bool reduces_ = false;  ///< the current method is AR-Topk

  std::vector<Trial> trials_;  ///< trials of this exploration, by candidate
  std::int64_t experiment_ = 0;
  bool gains_are_old_ = true;
  std::optional<Profile> profile_;
  bool profile_is_new_ = false;
  std::optional<NetworkEstimate> searched_on_;

  std::optional<CompressionChoice> watched_;  ///< choice that the changes below belong to
  std::optional<double> last_gain_;
  WindowedAverage changes_;
  WindowedAverage gains_;              ///< for the drift
  std::optional<double> gain_before_;  ///< gain of the first full window
};

void describe(settings::Fields& fields, FlexibleCompression::Settings& settings);

}  // namespace policies
