// How steps of a compressor and plain copies are sampled in turn, wherever both run, and what is made of the
// samples.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/probes/kernel_cases.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

struct KernelEffort;

/// Times of steps, of adding the message to the sum alone, and of the copies between steps, equally many, in
/// seconds.
struct KernelSamples {
  std::vector<double> steps, restores, copies;
  netmodels::Seconds spent;  ///< of steps and copies, their sum

  void add(netmodels::Seconds step, netmodels::Seconds restore, netmodels::Seconds copy);
  [[nodiscard]] bool enough(const KernelEffort& effort) const;
};

/// How long and how often to measure, and who is told what.
struct KernelEffort {
  GradientValues values = GradientValues::bell_shaped;
  int least_repetitions = 5;  ///< whatever the time
  int most_repetitions = 200;
  netmodels::Seconds time = {0.5};          ///< of the steps and copies of one case, without its warm-up
  const std::atomic<bool>* stop = nullptr;  ///< once raised, no further case is begun; may be null
  /// Is given the samples of each case; may be empty.
  std::function<void(const KernelCase&, const KernelSamples&)> sampled = {};
};

/// @param samples  at least one
/// @param wire     of one message
measurements::KernelTime summarise(const KernelCase& of, const KernelSamples& samples, netmodels::Bytes wire);

/// What was sent and what is kept add up to the gradient in the first step of a compressor with a residual.
/// @param sum  what the first message restores to
/// @throws std::runtime_error that names the compressor and the first value that is in neither
void check_nothing_lost(const KernelCase& of, std::span<const float> gradient, std::span<const float> sum,
                        std::span<const float> residual);

/// Three steps to warm up, the first one checked; then steps and copies in turn.
/// @param rank  takes part in step after step with the same gradient: `step()` and `copy()` do their work and
///              return its time in Seconds, `restore()` is the time of adding the last step's message to a
///              sum, `sum()` and `residual()` are vectors on the host, `wire()` the last message's Bytes
template <class Rank>
measurements::KernelTime measure_rank(Rank& rank, const KernelCase& of, std::span<const float> gradient,
                                      const KernelEffort& effort) {
  constexpr int warm_up_steps = 3;
  rank.step();
  if (of.compressor->error_feedback) check_nothing_lost(of, gradient, rank.sum(), rank.residual());
  for (int step = 1; step < warm_up_steps; ++step) rank.step();
  KernelSamples samples;
  while (!samples.enough(effort)) {
    const netmodels::Seconds step = rank.step();
    const netmodels::Seconds restore = rank.restore();
    samples.add(step, restore, rank.copy());
  }
  if (effort.sampled) effort.sampled(of, samples);
  return summarise(of, samples, rank.wire());
}

/// Calls `measure` for each case with its gradient, in order, until it is told to stop.
/// @param said  is told before each case; may be empty
/// @returns the times of the cases that were measured, the first ones
std::vector<measurements::KernelTime> measure_each(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said,
    const std::function<measurements::KernelTime(const KernelCase&, std::span<const float>)>& measure);

}  // namespace calibrate::probes
