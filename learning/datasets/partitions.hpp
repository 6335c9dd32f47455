// Training samples partitioned among workers, evenly or by random proportions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/philox.hpp"
#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"
#include "settings/choice.hpp"

namespace learning::datasets {

// Random proportions that add up to one.

/// A draw from the symmetric Dirichlet distribution: `count` shares, each at least 0, that add up to 1. Small
/// concentrations give nearly all to one, large ones equal shares.
///
/// Each share is a gamma variate over the sum of all. The variate of shape a is one of shape a + 1 times
/// U^(1/a), U uniform in (0, 1), kept as a logarithm, so that small concentrations do not underflow.
/// @param count  at least 1
/// @param concentration  alpha, above 0
/// Source: Marsaglia & Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 26(3), 2000,
/// section 6.
std::vector<double> draw_dirichlet(std::size_t count, double concentration,
                                   const kernels::RandomStream& stream);

// Training samples partitioned among workers.

/// The largest number of workers that samples can be divided among.
inline constexpr std::uint32_t most_workers = 65'536;

/// The workers that samples are assigned to.
struct PartitionJob {
  std::uint32_t workers = 1;  ///< N, in [1, 65536]
  std::uint64_t seed = 0;
};

/// Properties of a rule that other code tests instead of its name.
struct PartitionTraits {
  bool circular = false;  ///< every worker goes through all chunks, beginning with its own
  bool skewed = false;    ///< workers see different distributions of labels
};

/// One row of the table of rules.
struct PartitionRow : settings::Row {
  PartitionTraits traits;
  /// The rule with its settings: `label_skew 2 per worker`.
  std::string (*text)(std::string_view name, const void* settings) = nullptr;
  /// Sample numbers in chunks, one for each worker.
  netmodels::Result<std::vector<std::vector<std::uint32_t>>> (*partition)(const void* settings,
                                                                          const Samples& train,
                                                                          const PartitionJob& job) = nullptr;
};

/// Every rule, in a stable order; the first is the default.
std::span<const PartitionRow> partition_rules();
inline const PartitionRow& default_row(std::type_identity<PartitionRow>) { return partition_rules().front(); }

/// A rule with its settings: the map under `learner.shards`.
using PartitionChoice = settings::RowChoice<PartitionRow>;

void describe(settings::Fields& fields, PartitionChoice& choice);
constexpr std::string_view choice_key(std::type_identity<PartitionChoice>) { return "rule"; }

/// The settings of `label_skew`.
struct LabelSkew {
  int labels_per_worker = 1;  ///< k, in [1, labels that occur], N k at least those

  bool operator==(const LabelSkew&) const = default;
};

/// The settings of `dirichlet`.
struct DirichletShares {
  double concentration = 0.5;  ///< alpha, above 0; the smaller, the more skewed

  bool operator==(const DirichletShares&) const = default;
};

void describe(settings::Fields& fields, LabelSkew& settings);
void describe(settings::Fields& fields, DirichletShares& settings);

/// @returns the row, or nullptr when there is no such name
const PartitionRow* find_partition_rule(std::string_view name);

/// A choice by name, for code and tests that state one: `partition_rule("label_skew", LabelSkew{2})`.
/// @param name  of a row whose settings are of type `S`
template <class S = settings::None>
PartitionChoice partition_rule(std::string_view name, S settings = {}) {
  return {*find_partition_rule(name), std::move(settings)};
}

/// The rule with its settings, for labels: `circular`, `dirichlet 0.5`.
inline std::string describe(const PartitionChoice& choice) {
  return choice->text(choice.name(), choice.settings());
}

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
  std::vector<std::size_t> begins_;     ///< begin of each chunk, and the end of the last
  bool circular_ = false;
};

/// Assigns every training sample to exactly one chunk; a function of the samples' labels, the rule and the
/// job alone.
///
/// contiguous, circular: chunk sizes differ by at most one. label_skew: of the C labels that occur, worker w
/// holds labels w k, ..., w k + k - 1, modulo C; the samples of a label are shared evenly (to within one) by
/// the workers that hold it. dirichlet: the samples of each class are cut in the drawn proportions, rounded;
/// a worker left without any then gets one from the largest chunk. position: the samples in the order of
/// their file, cut in chunks whose sizes differ by at most one; windows of a text overlap, so that
/// neighbours share up to a window at each cut.
/// @returns an Error where there are more workers than samples, where N k labels do not cover all, where k is
///          more than there are, where a worker would get no sample, and for alpha not above 0
/// Source: contiguous and circular are DefDP and SelDP of Tyagi & Swany, "Accelerating Distributed ML
/// Training
///         via Selective Synchronization", IEEE CLUSTER 2023, section III-D; dirichlet as in Yurochkin et
///         al., "Bayesian Nonparametric Federated Learning of Neural Networks", ICML 2019, section 4.
netmodels::Result<Shards> partition(const Samples& train, const PartitionChoice& rule,
                                    const PartitionJob& job);

}  // namespace learning::datasets
