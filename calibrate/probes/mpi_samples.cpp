// The printing of samples with their median, least and 95th percentile.
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/mpi_probe.hpp"

namespace calibrate::probes {
namespace {

std::vector<double> microseconds(const SampledSize& sampled) {
  std::vector<double> values;
  for (const netmodels::Seconds sample : sampled.samples) values.push_back(sample.count * 1e6);
  return values;
}

/// Microseconds with the digits that the clock has.
double to_nanosecond(double microseconds) { return std::round(microseconds * 1e3) / 1e3; }

}  // namespace

std::vector<measurements::MeasuredPoint> median_points(const SampledExchange& exchange) {
  std::vector<measurements::MeasuredPoint> points;
  for (const SampledSize& sampled : exchange.sizes)
    points.push_back({sampled.size, {to_nanosecond(measurements::median(microseconds(sampled))) / 1e6}});
  return points;
}

std::string print_samples(std::span<const SampledExchange> exchanges, int ranks) {
  std::string text = "collective,ranks,size_bytes,repetitions,median_us,min_us,p95_us,samples_us\n";
  for (const SampledExchange& exchange : exchanges) {
    for (const SampledSize& sampled : exchange.sizes) {
      const std::vector<double> times = microseconds(sampled);
      fmt::format_to(std::back_inserter(text), "{},{},{:.0f},{},{:.2f},{:.2f},{:.2f},{:.2f}\n",
                     exchange.operation->name, ranks, sampled.size.count, times.size(),
                     measurements::median(times), measurements::quantile(times, 0),
                     measurements::quantile(times, 0.95), fmt::join(times, " "));
    }
  }
  return text;
}

}  // namespace calibrate::probes
