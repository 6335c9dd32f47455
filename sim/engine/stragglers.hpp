// How much slower than nominal each worker computes in a step.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The workers' factors on compute time in one step; 1 is nominal.
struct SlowFactors {
  double slowest = 1;
  double mean = 1;
  std::vector<double> of_worker;  ///< of those that still take part, in rank order
};

/// Where a replica has several GPUs, it is as slow as the slowest of them; jitter and slow-downs are of a
/// GPU, and leave out what the replica exchanges inside.
///
/// Relative speed, the time of a worker's own batch over that of `training.batch`, seeded jitter and
/// slow-downs in time, multiplied. With batch limits, a batch below the knee takes the time of one at the
/// knee, and every sample beyond the memory `slowdown` times as long.
///
/// Leaves out: that forward and backward pass grow differently with the batch.
class Stragglers {
 public:
  Stragglers(const scenario::Work& work, const scenario::Cluster& cluster, const scenario::Stated& stated,
             std::uint64_t seed);

  /// Lets speeds change up to now.
  void arrive(netmodels::Seconds now, std::int64_t step, double epoch);
  /// From now on each worker takes so many samples, by number.
  void set_batches(const std::vector<int>& samples);

  /// @param workers  those that take part; the result is overwritten in place to save allocations
  void factors(std::int64_t step, netmodels::Seconds now, const std::vector<std::uint32_t>& workers,
               SlowFactors& result) const;

  /// The same without jitter and without slow-downs in time.
  void nominal(const std::vector<std::uint32_t>& workers, SlowFactors& result) const;

 private:
  /// Jitter and slow-downs.
  [[nodiscard]] double disturbance(std::int64_t step, netmodels::Seconds now, std::uint32_t worker) const;
  /// With the speed of each GPU.
  [[nodiscard]] double replica_factor(std::int64_t step, netmodels::Seconds now, std::uint32_t replica) const;
  [[nodiscard]] double jitter(std::int64_t step, std::uint32_t worker) const;
  [[nodiscard]] netmodels::Seconds time_of(std::uint32_t worker, int samples) const;
  void join_factors();

  netmodels::Workload workload_;
  int stated_batch_;
  std::vector<scenario::BatchLimits> laws_;
  std::vector<scenario::SpeedChange> speed_changes_;
  std::vector<double> speeds_;   ///< by worker; empty: all 1
  std::vector<int> batches_;     ///< by worker; empty: all as stated
  std::vector<double> nominal_;  ///< factors of speed and batch, by worker
  std::vector<scenario::Slowdown> slowdowns_;
  std::vector<std::vector<std::uint32_t>> gpus_;  ///< by replica; empty: each has one
  std::vector<double> gpu_speeds_;                ///< by GPU; empty: all 1
  double computing_ = 1;                          ///< share of a step that a slow GPU slows
  scenario::Jitter jitter_;
  std::uint64_t seed_;
};

}  // namespace sim::engine
