// Values that sharded steps send in few bits, as they reach the workers: parameters to compute with, and
// gradients.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "learning/learners/gradient_exchange.hpp"
#include "netmodels/shard_sending.hpp"

namespace learning::learners {

/// The values become those that a receiver restores. Of whole numbers of b bits, each block's largest
/// magnitude m is 2^(b-1) - 1 steps: v = m / (2^(b-1) - 1) round(v (2^(b-1) - 1) / m), halves to even. Of
/// floats of 8 bits (4 of exponent, 3 of fraction), m is 448. A block of zeros stays, one with NaN or
/// infinity becomes NaN.
/// @param form  of 4 or 8 bits, all values; block 0: `values` are one
/// Source of the floats: Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433, 2022 (E4M3).
void round_as_sent(const netmodels::QuantizedForm& form, std::span<float> values);

/// The exchanges of a sharded step, which all workers take together. Q rounds as sent.
///
/// Parameters: workers compute with Q(x), or with h, which follows x by h = h + Q(x - h); optimizers keep x.
///
/// Gradients: worker w sends Q(g_w) inside its node, and each node Q(sum of these) to the others. With error
/// feedback a worker sends Q(e_w), e_w = g_w + b r_w, and keeps r_w = e_w - Q(e_w), b the decay of residuals.
///
/// Replicas: nodes sum exactly, and send each other the largest cosine coefficients of what they have not
/// sent yet (`dct_topk`).
///
/// The gain is the share of the energy that rounding inside nodes keeps, times that between nodes.
///
/// Leaves out: that a worker's own part needs no rounding; blocks that end where shards do; stochastic
/// rounding; SDP4Bit's rotation of gradients; LoCo's averaging and resetting of errors, and that it keeps
/// them in 8 bits.
class ShardedExchange {
 public:
  /// @param node     workers of a node, consecutive ones
  /// @param tensors  values of each tensor, which have scales of their own where a form has one for all
  /// @param between  sends what nodes do not send whole; nothing is kept in it yet
  ShardedExchange(const netmodels::ShardSending& sending, std::uint32_t node,
                  std::vector<std::size_t> tensors, const GradientExchange& between);

  /// Parameters that workers compute this step's gradients with. To be called once a step.
  /// @param parameters  the optimizers'
  std::span<const float> computed_with(std::span<const float> parameters);

  /// @param compression    whose error feedback and decay of residuals count
  /// @param contributions  of all workers, in order of their numbers, each as long as `mean`
  MeanGradient mean(const Compression& compression, std::int64_t step,
                    std::span<const Contribution> contributions, std::span<float> mean);

 private:
  void round(const netmodels::QuantizedForm& form, std::span<float> values) const;
  /// Node by node: sums of what the workers sent.
  /// @param energy  of what was rounded on the way, before and after; is added to
  std::vector<std::vector<float>> node_sums(const Compression& compression,
                                            std::span<const Contribution> contributions,
                                            kernels::Energy& energy);

  netmodels::ShardSending sending_;
  std::uint32_t node_;
  std::vector<std::size_t> tensors_;
  GradientExchange between_;
  std::vector<float> computed_;                            ///< parameters to compute with, in this step
  std::map<std::uint32_t, std::vector<float>> residuals_;  ///< residuals of workers
};

}  // namespace learning::learners
