// How long compressing and restoring a gradient takes: as stated, measured, published, or the device's floor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/catalogue.hpp"
#include "netmodels/quantity.hpp"
#include "policies/compression_policy.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// A time of compression, and the range in which it may lie.
struct CompressionCost {
  netmodels::Seconds assumed;              ///< what a run spends; 0 where the level is `unknown`
  netmodels::Seconds least;                ///< the floor where it is played too, else the lower end
  std::optional<netmodels::Seconds> most;  ///< nothing: no upper end is known
  std::optional<netmodels::Seconds> least_published;  ///< of a framework; `most` is its upper end
  scenario::CostLevel level = scenario::CostLevel::stated;

  /// Whether another time than the assumed one is possible.
  [[nodiscard]] bool uncertain() const { return least < assumed || !most || *most > assumed; }
};

/// Of two parts of a gradient, one after the other. The level is the less certain one.
CompressionCost operator+(const CompressionCost& one, const CompressionCost& other);

/// The time below which a share of the possible ones lies: half of them below the assumed one, evenly spread
/// over the logarithm of the time on both sides (over the time, from 0 on); all above it where it is the
/// least.
/// @param share  in (0, 1)
/// @returns the assumed time where no upper end is known
netmodels::Seconds quantile_of(const CompressionCost& cost, double share);

/// Whether each worker gets the message of every other and restores it; else the network adds them up.
bool brings_messages(const kernels::Entry& method);

/// Time of compressing and restoring the gradients of one workload, by all that is known of it.
class CompressionCosts {
 public:
  /// @param stated, workload, device  outlive this; `device` is the workload's, or nothing
  CompressionCosts(const scenario::Compression& stated, const netmodels::Workload& workload,
                   const std::optional<netmodels::Device>& device)
      : stated_(&stated), workload_(&workload), device_(device ? &*device : nullptr) {}

  /// Cost of compressing `values` of the gradient's values, all treated equally, and of restoring one
  /// message. The assumed time is the first of:
  ///
  ///   `compression.time`, which is of the whole gradient, for any method;
  ///   `compression.times` of this method, linear between its ratios over their logarithm, the nearest
  ///   beyond;
  ///   the measurement of this method (`compression.kernel_times`), one call for these values;
  ///   the time measured or published for `compression.stack`: per tensor, and per value, on another device
  ///   scaled by memory bandwidth;
  ///   the floor of the workload's device; or else 0, of which the level tells that it is unknown.
  ///
  /// `compression.cost` makes one of the last three the first. An uncompressed gradient takes no time unless
  /// one is stated. A stated time of 0 is a time as any other.
  ///
  /// The range: nothing where a time is stated; the error of nine of ten held-out sizes where it was
  /// measured; what was published, doubled on another device than the published one, from the floor on unless
  /// `compression.cost` says framework; what was measured in the framework on this device; from the floor
  /// without end.
  ///
  /// @param tensors  parameter tensors among these values, at least 1
  [[nodiscard]] CompressionCost compressing(const policies::CompressionChoice& choice, std::int64_t values,
                                            std::int64_t tensors = 1) const;
  /// `compressing(...).assumed`, or the drawn time where `Compression::drawn` says so.
  [[nodiscard]] netmodels::Seconds compressing_time(const policies::CompressionChoice& choice,
                                                    std::int64_t values, std::int64_t tensors = 1) const;
  /// Cost of the whole gradient at once, if it is not stated.
  [[nodiscard]] CompressionCost whole(const policies::CompressionChoice& choice) const;

  /// Cost of restoring the messages that an all-gather brings of the same values from the other workers,
  /// besides the one message that `compressing` holds, (workers - 1) times: as measured of this method
  /// (`compression.kernel_times`); half the method's memory traffic for each, within a factor of two, where
  /// its time is a published one (an assumption: nobody published it); reading each message where it is a
  /// floor. 0 without an upper end where restoring was not measured. 0 where a time is stated (it is taken as
  /// complete), and where the network or a server adds up what is sent.
  /// @param workers  that take part, at least 1
  [[nodiscard]] CompressionCost restoring(const policies::CompressionChoice& choice, std::int64_t values,
                                          std::uint32_t workers) const;
  /// `restoring(...).assumed`, or the drawn time.
  [[nodiscard]] netmodels::Seconds restoring_time(const policies::CompressionChoice& choice,
                                                  std::int64_t values, std::uint32_t workers) const;

  /// Time of the whole gradient, compressed in several ways one after another, each from what the one before
  /// kept (multi-level compression): the time of each is taken in proportion to its input.
  ///
  /// Source: that multi-level times are about so: Tyagi & Swany, "GraVAC: Adaptive Compression for
  ///         Communication-Efficient Distributed DL Training", IEEE CLOUD 2023, Table 3 (top-k 10x, then
  ///         1000x: 332 ms where both from the whole gradient take 606 ms).
  [[nodiscard]] netmodels::Seconds time_of_trials(std::span<const policies::CompressionChoice> trials) const;

  /// How much is known about the time of this method.
  [[nodiscard]] scenario::CostLevel level(kernels::Method method) const;

  /// Time of compressing the whole gradient by the stated method and of restoring the other workers' messages
  /// once.
  /// @returns nothing where gradients are sent as they are, or where a time above 0 is stated
  [[nodiscard]] std::optional<CompressionCost> unstated_whole(std::uint32_t workers) const;

  [[nodiscard]] const scenario::Compression& stated() const { return *stated_; }
  /// Null where no file describes it.
  [[nodiscard]] const netmodels::Device* device() const { return device_; }
  /// Cost of the whole gradient.
  [[nodiscard]] std::int64_t parameters() const { return workload_->parameters(); }

 private:
  /// A part of the gradient.
  struct Part {
    std::int64_t values;
    std::int64_t tensors;
  };

  [[nodiscard]] CompressionCost unstated(const policies::CompressionChoice& choice, const Part& part) const;
  /// Nothing where no file describes the device.
  [[nodiscard]] std::optional<netmodels::Seconds> floor(const policies::CompressionChoice& choice,
                                                        std::int64_t values) const;
  [[nodiscard]] std::optional<CompressionCost> published(const policies::CompressionChoice& choice,
                                                         const Part& part) const;
  /// The factor from the published device to this one: times per value follow the memory's bandwidth.
  [[nodiscard]] double bandwidth_scale() const;
  /// Factor by which the published range grows at both ends.
  [[nodiscard]] double widening() const;
  /// Restoring one message where nothing but the time of compressing is published.
  [[nodiscard]] netmodels::Seconds published_restoring(const policies::CompressionChoice& choice,
                                                       std::int64_t values) const;
  /// Reading one message once; 0 where no file describes the device.
  [[nodiscard]] netmodels::Seconds reading_time(const policies::CompressionChoice& choice,
                                                std::int64_t values) const;
  /// Time that a run spends of it.
  [[nodiscard]] netmodels::Seconds spent(const CompressionCost& cost) const;

  const scenario::Compression* stated_;
  const netmodels::Workload* workload_;
  const netmodels::Device* device_;
};

}  // namespace sim::engine
