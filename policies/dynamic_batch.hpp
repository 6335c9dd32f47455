// Dynamic batching: a controller that moves samples from slow workers to fast ones until all take as long.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/batching_policy.hpp"
#include "policies/moving_average.hpp"

namespace policies {

/// The quantity whose change is compared with the dead-band.
enum class DeadBand : std::uint8_t {
  any_worker,   ///< all batches change when one would change by more (the paper)
  each_worker,  ///< the workers that would change by more change (OmniLearn's code)
};

constexpr auto names_of(DeadBand) {
  return std::to_array<settings::Named<DeadBand>>(
      {{"any_worker", DeadBand::any_worker}, {"each_worker", DeadBand::each_worker}});
}

/// Every worker's compute time is smoothed since the last change of batches, mu_k. At every look:
///
///   tau_k = mu_k - mean mu,   X_k = b_k / mu_k
///   Delta_k = -X_k (tau_k + K_i sum of tau_k over looks + K_d (tau_k - tau_k at the look before))
///   b_k <- b_k + Delta_k                                          when max |Delta_k| / b_k > dead-band
///
/// K_i and K_d are 0 as published: the gain is the throughput itself, which makes b_k' = b_k mean mu / mu_k.
/// The published rule does not hold sum b_k (from equal batches it grows by the arithmetic over the harmonic
/// mean of the times); with `normalise` the new batches are scaled to K b_0 and rounded by largest remainder,
/// where b_0 is the mean of the batches that the training begins with. Where a worker's throughput fell
/// after its batch had grown, it gets no more than it had before.
///
/// The published max Delta_k / b_k is replaced by its absolute value, as in the authors' code: with the
/// sign, one slow worker among many would never be relieved.
///
/// Leaves out: OmniLearn's even spread of samples cut off by a bound (here: in proportion).
/// Source: Tyagi & Sharma, "Taming Resource Heterogeneity in Distributed ML Training with Dynamic Batching",
///         IEEE ACSOS 2020, equations (4) and (5) and section III-C; Tyagi & Sharma, "OmniLearn", IEEE TPDS
///         2025, released code.
class DynamicBatch final : public BatchingPolicy {
 public:
  struct Settings {
    BatchChanges changes = {};
    double dead_band = 0.05;  ///< Delta_min, at least 0
    DeadBand dead_band_of = DeadBand::any_worker;
    std::int64_t every = 10;        ///< steps from one look to the next, at least 1
    double smoothing = 0.3;         ///< weight of a new time, in (0, 1]
    bool normalise = true;          ///< the global batch is held
    bool learn_max = true;          ///< whether a fall of throughput sets a bound
    double throughput_fall = 0.05;  ///< relative, that counts as one; in [0, 1)
    double integral = 0;            ///< K_i, at least 0
    double derivative = 0;          ///< K_d, at least 0

    bool operator==(const Settings&) const = default;
  };

  DynamicBatch(const Settings& settings, BatchBounds bounds);

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<DynamicBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override;

 private:
  /// The state of one worker before its batch grew.
  struct Grown {
    int samples;
    double throughput;  ///< samples per second
  };
  struct Worker {
    MovingAverage time;  ///< seconds, since the last change
    std::optional<Grown> grown;
    double error_sum = 0;
    std::optional<double> error_before;
  };

  /// @returns whether the time of every worker is known
  bool take_in(const BatchingObservation& seen);
  void learn_bounds(const BatchingObservation& seen);
  [[nodiscard]] double time_of(const WorkerObservation& one) const {
    return *workers_[one.worker].time.value();
  }
  /// b_k + Delta_k, not rounded.
  std::vector<double> wanted(const BatchingObservation& seen);
  /// Lets those within the dead-band keep what they have. @returns whether anybody changes
  bool pass_dead_band(const BatchingObservation& seen, std::vector<double>& wanted) const;
  [[nodiscard]] std::vector<int> rounded(const BatchingObservation& seen,
                                         const std::vector<double>& wanted) const;
  void begin_anew(const BatchingObservation& seen, const std::vector<int>& samples);

  Settings settings_;
  BatchBounds bounds_;
  std::optional<double> mean_;   ///< b_0
  std::vector<Worker> workers_;  ///< workers by number
  std::int64_t since_look_ = 0;
};

void describe(settings::Fields& fields, DynamicBatch::Settings& settings);

}  // namespace policies
