// Data injection: a few workers share part of their batches with all others, against skewed data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace learning::datasets {

/// Data injection. In every step ceil(alpha N) of the N workers, drawn at random, are donors: each sends the
/// first round(beta b') samples of its batch to every other worker, which trains on them besides its own b'.
///
///     b' = b / (1 + alpha beta N), rounded, at least 1     (corrected: batches keep their size b, about)
///     b' = b                                               (not corrected: batches grow)
///
/// So a worker trains on b' + D round(beta b') samples, D donors, less one of those shares where it is a
/// donor itself; and D (N - 1) round(beta b') samples travel. The donors are a function of seed and step.
///
/// The printed example b' = 11 for b = 32, alpha = beta = 0.5 needs N = 8. Leaves out: that alpha N need not
/// be whole, so that the corrected size is only about b.
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, section III-E, equation 3; Tyagi & Swany, "ScaDLES: Scalable Deep Learning over Streaming
///         Data at the Edge", IEEE Big Data 2022.
class Injection {
 public:
  struct Settings {
    double workers = 0.5;   ///< alpha, share of the workers that are donors, in [0, 1]
    double batch = 0.5;     ///< beta, share of its batch that a donor shares, in [0, 1]
    bool corrected = true;  ///< whether a worker's own batch shrinks to make room
    std::optional<netmodels::Bytes> sample_size = {};  ///< size as sent; nothing: as the data set stores it

    bool operator==(const Settings&) const = default;
  };

  Injection(const Settings& settings, std::uint64_t seed);

  /// D = ceil(alpha N).
  [[nodiscard]] std::size_t donor_count(std::size_t workers) const;

  /// b': the number of own samples that a worker draws for a batch of b, at least 1.
  [[nodiscard]] int own_samples(int batch, std::size_t workers) const;

  /// Workers that are donors in a step, ascending; indices of the N.
  [[nodiscard]] std::vector<std::size_t> donors(std::uint64_t step, std::size_t workers) const;

  /// Adds to each worker's own samples those that the donors share with it, donor after donor. Where the
  /// workers' own batches differ in size, each donor shares beta of its own.
  /// @param batches  sample numbers, one list for each worker of the step
  /// @returns how many samples travelled; times `Dataset::sample_bytes` the bytes
  std::size_t share(std::uint64_t step, std::vector<std::vector<std::uint32_t>>& batches) const;

 private:
  Settings settings_;
  std::uint64_t seed_;
};

void describe(settings::Fields& fields, Injection::Settings& settings);

}  // namespace learning::datasets
