// Training samples dealt out to workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// The most workers that samples can be dealt to.
inline constexpr std::uint32_t most_workers = 65'536;

/// How samples are dealt.
enum class DealingRule {
  contiguous,  ///< a random order of all samples, cut into one chunk per worker: IID
  circular,    ///< the same chunks, but every worker goes through all of them, beginning with its own
  label_skew,  ///< each worker holds samples of a few labels only
  dirichlet,   ///< of each class, the workers get shares drawn from a Dirichlet distribution
};

/// One row of the table of rules.
struct DealingRow {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  DealingRule rule;
};

/// Every rule, in a stable order.
std::span<const DealingRow> dealing_rules();

/// @returns the rule, or an Error that names the nearest known one
netmodels::Result<DealingRule> find_dealing_rule(std::string_view name);

/// To whom, and how.
struct Dealing {
  DealingRule rule = DealingRule::contiguous;
  std::uint32_t workers = 1;          ///< N, in [1, 65536]
  std::size_t labels_per_worker = 1;  ///< label_skew: k, in [1, labels that occur], N k at least those
  double concentration = 0.5;         ///< dirichlet: alpha, above 0; the smaller, the more skewed
  std::uint64_t seed = 0;
};

/// Sample numbers in chunks, one for each worker, none of them empty.
class Shards {
 public:
  /// @param chunks  at least one, each with at least one sample
  /// @param circular  whether every worker goes through all chunks
  Shards(const std::vector<std::vector<std::uint32_t>>& chunks, bool circular);

  [[nodiscard]] std::uint32_t workers() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  [[nodiscard]] bool circular() const { return circular_; }
  /// @param number  below `workers()`
  [[nodiscard]] std::span<const std::uint32_t> chunk(std::uint32_t number) const;

 private:
  std::vector<std::uint32_t> samples_;  ///< chunk after chunk
  std::vector<std::size_t> begins_;     ///< of each chunk, and the end of the last
  bool circular_ = false;
};

/// Deals every training sample to exactly one chunk; a function of the samples' labels and the dealing alone.
///
/// contiguous, circular: chunk sizes differ by at most one. label_skew: of the C labels that occur, worker w
/// holds labels w k, ..., w k + k - 1, modulo C; the samples of a label are shared evenly (to within one) by
/// the workers that hold it. dirichlet: the samples of each class are cut in the drawn proportions, rounded;
/// a worker left without any then gets one from the largest chunk.
/// @returns an Error where there are more workers than samples, where N k labels do not cover all, where k is
///          more than there are, where a worker would get no sample, and for alpha not above 0
/// Source: contiguous and circular are DefDP and SelDP of Tyagi & Swany, "Accelerating Distributed ML
/// Training
///         via Selective Synchronization", IEEE CLUSTER 2023, section III-D; dirichlet as in Yurochkin et
///         al., "Bayesian Nonparametric Federated Learning of Neural Networks", ICML 2019, section 4.
netmodels::Result<Shards> deal(const Samples& train, const Dealing& dealing);

}  // namespace learning::datasets
