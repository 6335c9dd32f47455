// A stream of samples for each device: what is buffered, and how long a batch has to be waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The queues of all devices, step by step. With S samples per second, a batch of b, and t the time of the
/// step before without its waiting:
///
///   persistence:  q = S t + buffer;   truncation:  q = S t
///   q >= b: nothing is waited for, buffer = q - b (truncation: 0);   else: wait (b - q) / S, buffer = 0
///
/// Before the first step t is 0. The report after a step is the buffer plus the arrivals while it
/// computed and exchanged. With `waiting_counts` t is all the time since the device had its last batch.
///
/// Leaves out: brokers and their limits; samples that take time to travel.
/// Source: Tyagi & Swany, "ScaDLES: Scalable Deep Learning over Streaming Data at the Edge", IEEE BigData
///         2022, equations (2) and (3), and the rules of its released code.
class StreamBuffers {
 public:
  /// @param seed  of drawn rates, which depend on nothing else
  StreamBuffers(const scenario::Streams& stated, std::uint32_t workers, std::uint64_t seed);

  /// Samples per second of a device's stream.
  [[nodiscard]] double rate(std::uint32_t worker, netmodels::Seconds now) const;

  /// A step of these workers begins: each takes its batch.
  /// @param samples  by worker
  /// @returns how long each of `workers` waits for its last samples, valid until the next call
  const std::vector<netmodels::Seconds>& take(netmodels::Seconds now,
                                              const std::vector<std::uint32_t>& workers,
                                              const std::vector<int>& samples);

  /// The step is over.
  /// @param working  its duration without the wait for streams
  void pass(netmodels::Seconds end, netmodels::Seconds working, const std::vector<std::uint32_t>& workers);

  /// Samples that have arrived since the beginning, on all devices.
  [[nodiscard]] netmodels::Bytes streamed() const { return stated_.sample_size * buffer_.streamed; }
  /// Of the workers of the last step.
  [[nodiscard]] const BufferState& buffer() const { return buffer_; }

 private:
  /// From then on.
  struct Rate {
    netmodels::Seconds at;
    double samples_per_second;
  };
  struct Device {
    std::vector<Rate> rates;          ///< in order of time, the first at 0
    double held = 0;                  ///< samples left over by the last batch
    double arrived = 0;               ///< since then
    netmodels::Seconds counted_from;  ///< with `waiting_counts`: later arrivals are kept
  };

  void change(std::uint32_t worker, const scenario::StreamRateChange& change);
  /// The rate that holds at that time.
  [[nodiscard]] std::size_t current(std::uint32_t worker, netmodels::Seconds now) const;
  /// When the rate after that one begins to hold; infinity where none follows.
  [[nodiscard]] netmodels::Seconds end_of(std::uint32_t worker, std::size_t rate) const;
  [[nodiscard]] double arriving(std::uint32_t worker, netmodels::Seconds from, netmodels::Seconds to) const;
  [[nodiscard]] netmodels::Seconds wait_for(std::uint32_t worker, netmodels::Seconds now,
                                            double samples) const;

  scenario::Streams stated_;
  std::vector<Device> devices_;  ///< by worker
  std::vector<netmodels::Seconds> waits_;
  BufferState buffer_;
};

}  // namespace sim::engine
