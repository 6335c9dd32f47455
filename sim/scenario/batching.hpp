// The time of a worker over its samples, and its streams, as stated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/moment.hpp"

namespace sim::scenario {

using settings::Moment;

/// The behaviour of a device with more samples than its memory holds.
enum class BeyondMemory { slow, refuse };

/// How the time of a step follows the batch beyond the workload's straight line.
struct BatchLimits {
  std::vector<int> workers;   ///< empty: all
  int knee = 1;               ///< samples below which a step takes no less time
  std::optional<int> memory;  ///< samples that it holds
  BeyondMemory beyond = BeyondMemory::slow;
  double slowdown = 4;  ///< slow: of the samples beyond the memory

  bool operator==(const BatchLimits&) const = default;
};

/// Whether the limits apply to a worker.
inline bool holds_for(const BatchLimits& law, int worker) {
  return law.workers.empty() || std::ranges::find(law.workers, worker) != law.workers.end();
}

/// From some moment on the workers have other speeds.
struct SpeedChange {
  Moment at;
  std::vector<double> speeds;  ///< of each worker; set once a scenario is read
  std::vector<double> cores;   ///< as stated instead of speeds

  bool operator==(const SpeedChange&) const = default;
};

enum class RateDistributionKind { uniform, normal };

/// Rates of streams drawn from a distribution, once for each device.
struct RateDistribution {
  RateDistributionKind law = RateDistributionKind::uniform;
  double mean = 64;      ///< samples per second
  double deviation = 0;  ///< standard deviation, samples per second
  double min = 1;        ///< lower rates are raised to this
  std::optional<double> max;

  bool operator==(const RateDistribution&) const = default;
};

/// From some time on streams have other rates.
struct StreamRateChange {
  netmodels::Seconds at;
  std::vector<int> workers;           ///< empty: all
  std::optional<double> factor = {};  ///< on the rates of the beginning ...
  std::optional<double> rate = {};    ///< ... or samples per second

  bool operator==(const StreamRateChange&) const = default;
};

enum class StreamBuffer { persistence, truncation };

/// A stream of samples for each device.
struct Streams {
  std::vector<double> rates;  ///< samples per second; empty where they are drawn
  std::optional<RateDistribution> distribution;
  std::string trace;  ///< a file of more changes; empty: none. `changes` holds them once a scenario is read
  std::vector<StreamRateChange> changes;
  StreamBuffer buffer = StreamBuffer::persistence;
  netmodels::Bytes sample_size;
  bool waiting_counts = false;  ///< samples that arrive while a device waits for its batch's last ones, or
                                ///< for the others, are kept, too

  bool operator==(const Streams&) const = default;
};

}  // namespace sim::scenario
