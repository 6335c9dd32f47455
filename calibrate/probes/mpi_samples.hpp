// The timed repetitions of an exchange, size by size, and their file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

/// All repetitions of one exchange at one size.
struct SampledSize {
  netmodels::Bytes size;
  std::vector<netmodels::Seconds> samples;  ///< in order of time, at least one
};

/// All sizes of one exchange.
struct SampledExchange {
  const measurements::Operation* operation = nullptr;  ///< a row of `measurements::operations()`
  std::vector<SampledSize> sizes;                      ///< rising
};

/// The median of each size, as a row that `calibrate fit` reads.
std::vector<measurements::MeasuredPoint> median_points(const SampledExchange& exchange);

/// CSV with the columns collective, ranks, size_bytes, repetitions, median_us, min_us, p95_us and samples_us:
/// all samples in order of time, parted by blanks.
/// @param ranks  N
std::string print_samples(std::span<const SampledExchange> exchanges, int ranks);

}  // namespace calibrate::probes
