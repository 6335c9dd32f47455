// Exchange of the workers' gradients, compressed for real, and of their parameters.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"
#include "learning/learners/learner.hpp"
#include "learning/learners/low_rank.hpp"
#include "learning/learners/replicas.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

// From the workers' gradients to the one that all of them apply: compressed for real, with unsent values
// kept.

/// One worker's gradient: the mean over the workers is sum(weight gradient) / N, and weight gradient is what
/// is compressed.
struct Contribution {
  std::uint32_t worker = 0;
  std::span<const float> gradient;
  float weight = 1;  ///< N times the worker's share of the mean
};

/// Result of an exchange, as the receivers have it.
struct MeanGradient {
  double gain = 1;          ///< sum ||g_c||^2 / sum ||g_e||^2 over the workers
  double squared_norm = 0;  ///< ||mean||^2
  double sent = 0;          ///< sum ||g_c||^2 over the workers
};

/// The state of one worker's compression from step to step, and the compressors that use it.
///
/// Methods that are meant for error feedback compress e = gradient + residual; any other method sends what is
/// left of earlier steps along and keeps nothing. All-gathered messages are summed over the union of their
/// places; AR-Topk sends every worker's values at the places of one of them; signSGD applies the sign that
/// most workers sent; PowerSGD approximates the mean matrix by matrix (`LowRankMean`), and each worker keeps
/// what the mean's factors lack of its own gradient; where a method codes the sum again, so is the mean here,
/// with a residual of its own. Every residual is multiplied by `Compression::residual_decay` before it is
/// used.
///
/// Leaves out: messages cut into buckets (compression is of the whole gradient, lwtopk layer by layer).
class GradientExchange {
 public:
  /// @param layer_sizes  values per layer, parameters of the model together
  /// @param matrices     the same values as the matrices of tensors; none: for methods of low rank one that
  ///                     is nearly square, else layers are taken as tensors
  GradientExchange(std::vector<std::int64_t> layer_sizes, std::uint64_t seed,
                   std::vector<kernels::Shape> matrices = {});
  GradientExchange(const GradientExchange& other);
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// Whether gradients can really be compressed so.
  /// @returns nothing, or an Error with the fault of the method and a hint
  static netmodels::Result<void> check(const Compression& compression);

  /// @param compression    accepted by `check`
  /// @param step           the same for all workers; random methods draw by it
  /// @param contributions  at least one, each as long as `mean`
  /// @param sent           what each of them sent, restored: N times its part of the mean; empty: not asked
  ///                       for, as it must be of a method of two rounds
  MeanGradient mean(const Compression& compression, std::int64_t step,
                    std::span<const Contribution> contributions, std::span<float> mean,
                    std::span<std::vector<float>> sent = {});

  /// The mean of whole gradients, beside what is kept, which stays.
  MeanGradient mean_of_whole(std::span<const Contribution> contributions, std::span<float> mean);

  /// One worker's message restored, for a parameter server; its residual is kept.
  MeanGradient send(const Compression& compression, std::int64_t step, const Contribution& contribution,
                    std::span<float> restored);

  /// An exchange of the same kind in which nothing is kept yet.
  [[nodiscard]] GradientExchange without_memory() const;
  /// The same for the values [first, end): layers and tensors end where the part does; of its matrices
  /// nothing is known.
  [[nodiscard]] GradientExchange of_part(std::size_t first, std::size_t end) const;

  /// Whether anything is kept of this worker for a later step, so that a mean it takes part in will not be
  /// that of only the gradients.
  [[nodiscard]] bool remembers(std::uint32_t worker) const {
    return residuals_.contains(worker) || !owners_.empty();
  }

  /// Forgets what is kept of this worker.
  void forget(std::uint32_t worker) { residuals_.erase(worker); }

  /// The gain that `mean` would report, sending nothing.
  [[nodiscard]] double gain(const Compression& compression, std::int64_t step,
                            std::span<const Contribution> contributions) const;

 private:
  /// How one worker's vector is compressed and its residual updated.
  enum class Memory { fed, flushed, raw };

  /// The same contributions with weights of 1; those that had another are scaled in `scaled_`.
  std::vector<Contribution> weighted(std::span<const Contribution> contributions);
  [[nodiscard]] Memory memory(const Compression& compression, std::uint32_t worker) const;
  std::span<float> residual(std::uint32_t worker);
  kernels::Compressor& compressor(const Compression& compression, std::uint32_t worker, std::int64_t step);
  kernels::Message compress(const Compression& compression, std::int64_t step,
                            const Contribution& contribution);
  /// The residuals of those who send now, and of the mean.
  void decay(const Compression& compression, std::span<const Contribution> contributions);
  kernels::Energy gather(const Compression& compression, std::int64_t step,
                         std::span<const Contribution> contributions, std::span<float> sum,
                         std::span<std::vector<float>> sent);
  kernels::Energy share_places(const Compression& compression, std::int64_t step,
                               std::span<const Contribution> contributions, std::span<float> sum);
  kernels::Energy share_factors(const Compression& compression, std::int64_t step,
                                std::span<const Contribution> contributions, std::span<float> mean);
  /// Codes the mean again where the method does, and adds what is left of earlier ones where it does not.
  void recode(const Compression& compression, std::int64_t step, std::span<float> mean);
  std::size_t broadcaster(const Compression& compression, std::int64_t step,
                          std::span<const std::span<const float>> vectors);

  std::vector<std::int64_t> layer_sizes_;
  std::vector<std::int64_t> tensor_sizes_;
  std::vector<kernels::Shape> matrices_;
  std::size_t parameters_ = 0;
  LowRankMean low_rank_;
  std::uint64_t seed_;
  std::map<std::uint32_t, std::vector<float>> residuals_;  ///< residuals of workers that have kept something
  std::vector<float> owners_;  ///< residual of the mean, kept by the owner of each part; empty: nothing kept
  std::vector<std::vector<float>> scaled_;  ///< gradients times their weights, of this step
  Compression made_for_;                    ///< setting for which `compressors_` were made
  std::map<std::uint32_t, std::unique_ptr<kernels::Compressor>> compressors_;
};

// How the workers' parameters are merged: in their mean, at an elastic centre, or in an outer step.

/// Whether they are merged before each worker takes its own gradient.
bool meets_before_step(const Meeting& meeting);

/// How the workers' parameters are sent in an exchange.
struct SentParameters {
  Compression compression = {};  ///< codes the changes; an elastic centre takes parameters as they are
  std::int64_t number = 0;       ///< exchange, from 0: random methods draw by it, AR-Topk takes turns
  std::int64_t step = 0;         ///< step of the training, from 0
};

/// Averages models, and stores the centre of methods that have one. A copy continues independently; it shares
/// memory until one side changes.
///
/// With a compression each worker sends the change of its parameters since all had the same ones, with error
/// feedback where the method is meant for it:
///
///   e_w = x_w - c + b r_w,   r_w = e_w - C(e_w),   d = sum_w weight_w C(e_w),   c = c + d (or an outer step
///   with -d as its gradient),   x_w = c
///
/// with b the decay of the residual (1: none; 0.95 in SparseLoCo, whose outer step has no momentum instead),
/// and what a method codes again where it is summed (`kernels::Entry::recoded`) is C(d + r) with r kept
/// there.
///
/// Leaves out: residuals of workers that are not drawn for a mean of some, which stay as they are.
/// Source: Basu, Data, Karakus & Diggavi, "Qsparse-local-SGD: Distributed SGD with Quantization,
///         Sparsification, and Local Computations", NeurIPS 2019, Algorithm 1; the decay: Sarfi et al.,
///         "Communication Efficient LLM Pre-training with SparseLoCo", arXiv:2508.15706, 2025.
class ParameterExchange {
 public:
  /// @param centre   the parameters with which all workers begin
  /// @param changes  what compresses changes; nothing is kept in it yet
  ParameterExchange(std::span<const float> centre, const GradientExchange& changes)
      : centre_(std::make_shared<const std::vector<float>>(centre.begin(), centre.end())),
        changes_(changes) {}

  /// @param shares   the workers that synchronise
  /// @param weights  of a mean of all of them, one per share, 1 together; an elastic centre does without
  /// @returns the gain of the changes that were compressed; nothing where none were
  std::optional<double> meet(const Meeting& meeting, const SentParameters& sent,
                             std::span<const Share> shares, std::span<const double> weights,
                             Replicas& replicas);

  /// Workers take the fragments that they have waited for until this step.
  void take_fragments(std::int64_t step, std::span<const Share> shares, Replicas& replicas);

  /// All workers have these parameters, which no exchange of parameters gave them.
  void begin_at(std::span<const float> parameters);

  /// Forgets what is kept of this worker's changes.
  void forget(std::uint32_t worker) {
    changes_.forget(worker);
    for (GradientExchange& fragment : fragments_) fragment.forget(worker);
  }

  /// The model that all had last: the initial one, or what the last exchange gave to all. With fragments, or
  /// tied elastically, the centre; where outer steps are eager, the mean of the workers' centres.
  [[nodiscard]] std::span<const float> common_model() const { return *centre_; }
  /// The model that elastically tied workers train together; nothing where they are not.
  [[nodiscard]] std::optional<std::span<const float>> elastic_centre() const;
  /// The model that outer steps move; nothing before the first of them.
  [[nodiscard]] std::optional<std::span<const float>> outer_model() const;

 private:
  void draw_to_centre(const ElasticMean& meeting, std::span<const Share> shares, Replicas& replicas);
  void move_centre(const OuterStep& meeting, std::span<const Share> shares, std::span<const double> weights,
                   Replicas& replicas);
  double meet_by_changes(const Meeting& meeting, const SentParameters& sent, std::span<const Share> shares,
                         std::span<const double> weights, Replicas& replicas);
  /// Moves the centre by an outer step.
  /// @param change  mean change of the parameters since the last one, from value `first` on
  void step_outside(const OuterStep& meeting, std::span<const float> change, std::size_t first = 0);
  /// @returns the gain of what was sent
  double meet_by_momenta(const SentParameters& sent, std::span<const Share> shares,
                         std::span<const double> weights, Replicas& replicas);
  std::optional<double> meet_in_fragments(const OuterStep& meeting, const SentParameters& sent,
                                          std::span<const Share> shares, std::span<const double> weights,
                                          const Replicas& replicas);
  /// Exchanges eagerly; the same workers each time.
  std::optional<double> meet_eagerly(const OuterStep& meeting, const SentParameters& sent,
                                     std::span<const Share> shares, std::span<const double> weights,
                                     Replicas& replicas);

  /// One worker's outer model where outer steps are eager.
  struct OwnCentre {
    std::vector<float> centre;
    std::vector<float> velocity;
    std::vector<float> squares;
    std::vector<float> sent;  ///< this worker's part of the mean change at the last exchange
  };
  /// Values [first, end) of the centre, on their way to the workers.
  struct Underway {
    std::size_t first;
    std::size_t end;
    std::int64_t due;  ///< the step that takes them
    float mixing;
  };

  std::shared_ptr<const std::vector<float>> centre_;
  std::shared_ptr<const std::vector<float>> velocity_;  ///< null before the first outer step
  std::shared_ptr<const std::vector<float>> squares_;   ///< moving average of its squared steps, likewise
  bool elastic_ = false;
  GradientExchange changes_;                 ///< compresses them, and keeps their residuals
  std::vector<GradientExchange> fragments_;  ///< the same by fragment, in the order in which each came first
  std::vector<std::int64_t> met_;            ///< the fragments' numbers
  std::int64_t all_fragments_ = 1;
  std::vector<Underway> underway_;
  std::map<std::uint32_t, OwnCentre> own_;  ///< centres by worker; empty before the first eager step
  std::vector<float> late_;                 ///< the mean change of the last eager exchange
};

}  // namespace learning::learners
