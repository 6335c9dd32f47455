// Compute time of a transformer from the share of a device's peak that published training runs reach.
#pragma once

#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/transformer.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

/// Utilisation that was published for models of one size.
struct SizeUtilisation {
  double parameters = 1;  ///< active ones, above 0
  double share = 1;       ///< share of the peak, in (0, 1]
};

/// Hardware FLOPs utilisation of one software stack on one kind of device:
///   HFU = e(N) h / (h + hidden_half) m / (m + tokens_half), m tokens of a micro-batch,
/// e(N) linear in the logarithm of N between `sizes`. The FLOPs of attention count `attention_weight` times,
/// as its kernels may reach less of the peak than matrix products do. MFU = HFU F / (r F_w), r =
/// `hardware_factor`, F and F_w the model's FLOPs without and with that weight.
/// Where more than `min_waiting` devices wait for each other in each step, each doubling of them costs
/// `lost_per_doubling` of it (`waiting_factor`).
/// Leaves out: tensor and pipeline parallelism, which large models of a stack may have used.
struct UtilisationRule {
  std::vector<SizeUtilisation> sizes;  ///< at least one, of rising parameters; a single one holds for all
  double hidden_half = 0;              ///< width at which half of it is reached
  double tokens_half = 0;              ///< tokens at which half of it is reached
  double attention_weight = 1;         ///< above 0
  double lost_per_doubling = 0;        ///< in [0, 1)

  /// Models smaller than the smallest size, or larger than the largest, by this factor are refused.
  static constexpr double beyond = 2;
};

/// FLOPs of the hardware over those of the model: 1 + repeated_forward / 3, as a backward pass is taken as
/// two forward passes. 4/3 with full recomputation.
/// @param attention_weight  how often the FLOPs of attention count, above 0
double hardware_factor(const Transformer& model, Recomputation recomputation, double attention_weight = 1);

/// Model FLOPs utilisation at `batch` samples per micro-batch: of training_flops, without recomputation.
/// @returns an Error for a model beyond the measured sizes
Result<double> model_utilisation(const UtilisationRule& rule, const Transformer& model,
                                 Recomputation recomputation, double batch);

/// e(N), of a rule that depends neither on the width of the model nor on the tokens of a micro-batch.
/// @param parameters  N, above 0
/// @returns an Error for a rule that does, and for a model beyond the measured sizes
Result<double> utilisation_of_size(const UtilisationRule& rule, double parameters);

/// Time of both passes, which the rule makes linear in the batch:
///   t = r F_w (batch + tokens_half / s) / (peak e h / (h + hidden_half)), r = `hardware_factor`
/// @param peak  of the device in the arithmetic that the rule is for, above 0
/// @returns an Error for a model beyond the measured sizes
Result<LinearTime> pass_time(const UtilisationRule& rule, const Transformer& model,
                             Recomputation recomputation, FlopRate peak);

/// Devices of one node, from which on a step takes longer the more devices wait for each other.
inline constexpr std::uint32_t min_waiting = 8;

/// Time of both passes where `devices` wait for each other in each step, over that where few do:
/// (1 - lost_per_doubling)^-log2(devices / min_waiting), at least 1. What slow devices and shared networks
/// take beyond what is simulated.
double waiting_factor(double lost_per_doubling, std::uint32_t devices);

/// Gives layers their share of both passes by FLOPs; a repeated forward pass belongs to the backward pass.
/// @param repeated  `repeated_forward`
/// @param layers    of `transformer_layers`
/// @param attention_weight  how often the FLOPs of attention count, above 0
void share_out(const LinearTime& passes, double repeated, std::span<Layer> layers,
               double attention_weight = 1);

}  // namespace netmodels
