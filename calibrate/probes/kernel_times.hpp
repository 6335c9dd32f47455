// Times of the compressors: which cases, how their samples become a time, and the probe of the processor.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/made_up_values.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

// What is measured of the gradient compressors: which one on how many values of which kind.

using kernels::GradientValues;

/// The same values in every run, and as `kernels::make_up_values` makes them on a device.
/// @param elements  n, at least 0
std::vector<float> made_up_gradient(std::int64_t elements, GradientValues values);

/// One compressor on one size.
struct KernelCase {
  const kernels::Entry* compressor = nullptr;
  std::int64_t elements = 0;  ///< n, fp32 values, at least 1
  double ratio = 1;           ///< c, kept / original; 1 where the compressor has none
};

/// Every combination; a compressor without a ratio appears once per size.
std::vector<KernelCase> kernel_cases(std::span<const kernels::Entry* const> compressors,
                                     std::span<const std::int64_t> elements, std::span<const double> ratios);

/// Sizes of 48 layers that are n together, rising as 1, 3, 5, ... as a convolutional network's do.
std::vector<std::int64_t> made_up_layers(std::int64_t elements);

/// The settings of a case's compressor: layer-wise top-k gets `made_up_layers`, `threshold` the
/// magnitude that k values of the gradient reach, among its first 4 million values.
kernels::Settings settings_of(const KernelCase& of, std::span<const float> gradient);

// How steps of a compressor and plain copies are sampled in turn, wherever both run, and what is made of the
// samples.

struct KernelEffort;

/// Times of steps, of only adding the message to the sum, and of the copies between steps, equally many, in
/// seconds.
struct KernelSamples {
  std::vector<double> steps, restores, copies;
  netmodels::Seconds spent;  ///< sum of steps and copies

  void add(netmodels::Seconds step, netmodels::Seconds restore, netmodels::Seconds copy);
  [[nodiscard]] bool enough(const KernelEffort& effort) const;
};

/// How long and how often to measure, and how to report progress.
struct KernelEffort {
  GradientValues values = GradientValues::bell_shaped;
  int least_repetitions = 5;  ///< regardless of the time
  int most_repetitions = 200;
  netmodels::Seconds time = {0.5};  ///< limit of the steps and copies of one case, without its warm-up
  const std::atomic<bool>* stop = nullptr;  ///< once raised, no further case is begun; may be null
  /// Values of a gradient that are made on the host and checked, its first ones; the rest is a device's.
  std::int64_t most_on_host = std::numeric_limits<std::int64_t>::max();
  /// Is given the samples of each case; may be empty.
  std::function<void(const KernelCase&, const KernelSamples&)> sampled = {};
  /// Is given each time as soon as it is measured; may be empty.
  std::function<void(const measurements::KernelTime&)> measured = {};
  /// Is given each case that failed, and why; the next case follows. Where empty, a failure ends all cases.
  std::function<void(const KernelCase&, std::string_view why)> failed = {};
};

/// @param samples  at least one
/// @param wire     of one message
measurements::KernelTime summarise(const KernelCase& of, const KernelSamples& samples, netmodels::Bytes wire);

/// The message plus the residual is the gradient in the first step of a compressor with a residual.
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

/// Calls `measure` for each case with its gradient, or its first `most_on_host` values, in order, until it is
/// interrupted.
/// @param said  called before each case; may be empty
/// @returns the times of the cases that were measured, in order, without those given to `effort.failed`
/// @throws what `measure` throws where `effort.failed` is empty
std::vector<measurements::KernelTime> measure_each(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said,
    const std::function<measurements::KernelTime(const KernelCase&, std::span<const float>)>& measure);

// The times of the gradient compressors on this machine's processor, compared with a plain copy.

/// Measures each case on one thread: three steps to warm up, then steps and copies in turn.
/// @param said  called before each case; may be empty
/// @throws std::runtime_error where a compressor's first message and residual are not
///         the gradient
/// Leaves out: several threads; other work on the machine (compare `least` with `median`); of restoring,
/// which is timed within the step, that messages of other ranks are not in this processor's cache, and that
/// their values have separate indices.
std::vector<measurements::KernelTime> measure_kernels(std::span<const KernelCase> cases,
                                                      const KernelEffort& effort,
                                                      const std::function<void(const KernelCase&)>& said);

}  // namespace calibrate::probes
