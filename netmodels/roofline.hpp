// A device that computes, and how long a layer takes on it by its FLOPs and the bytes that it touches.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

// A compute device: its peaks, the share of them that real kernels reach, and the source.

/// A share of a peak that real kernels reach, with its origin. Without one, times are lower bounds.
struct Efficiency {
  double share = 1;              ///< share of the peak, in (0, 1]
  std::string source = "bound";  ///< source and test; "bound": not measured, the peak itself is used
};

/// How much longer computing takes while a collective runs beside it, with its origin.
struct OverlapSlowdown {
  double share = 0;  ///< share of the time alone, at least 0
  std::string source;
};

/// One accelerator.
struct Device {
  std::string name;
  std::string provenance;          ///< one line: whose figures these are
  std::string precision = "fp32";  ///< arithmetic that `peak` is for: fp32 or tf32
  FlopRate peak;                   ///< dense, above 0
  Bandwidth memory_bandwidth;      ///< bandwidth of the device's own memory, above 0
  Efficiency compute;
  Efficiency memory;
  Seconds launch;                         ///< fixed time per kernel that nothing hides; 0: none assumed
  std::optional<Bytes> memory_size = {};  ///< nothing: unknown
  /// CUDA compute capability, 10 x major + minor; nothing: unknown, or no device of CUDA.
  std::optional<int> compute_capability = {};
  std::optional<int> multiprocessors = {};      ///< multiprocessors of a GPU; nothing: unknown
  std::optional<OverlapSlowdown> overlap = {};  ///< nothing: not measured

  [[nodiscard]] FlopRate sustained_compute() const { return peak * compute.share; }
  [[nodiscard]] Bandwidth sustained_memory() const { return memory_bandwidth * memory.share; }
};

/// Refuses peaks that are not above 0, shares outside (0, 1], and a negative launch time.
Result<Device> check(const Device& device);

// Roofline: how long a layer takes on a device, from its FLOPs and the bytes that it touches.

/// Forward and backward pass of one layer.
struct PassTimes {
  LinearTime forward;
  LinearTime backward;
};

/// Predicted times of every layer,
///
///   t = max(FLOPs / (peak x efficiency), bytes / (bandwidth x efficiency)) + launch,
///
/// with fp32 bytes: forward reads the input and the weights and writes the output; backward reads the
/// output's gradient, the input and the weights, and writes the input's gradient and the weights' gradient.
/// The input of a layer is the output of the row above it (the first row: its own output); `add` reads two
/// inputs; an `embedding` reads only the rows it needs, and its backward pass writes a gradient as large as
/// its table. The larger of the two bounds is chosen at `batch`; its fixed part (weights, launch) and its
/// part per sample then make the LinearTime, so that the prediction is exact at `batch` and keeps its bound
/// elsewhere.
///
/// @param layers  in forward order; their times are not read
/// @param device  as accepted by `check`
/// @param batch   samples, at least 1
/// @returns one entry per layer. Never fails.
///
/// Leaves out: caches, fusion, kernels that read their input twice (batch normalisation), weights read again
/// at each time step (LSTM), branches whose input is not the row above, efficiency that varies with shape,
/// and the change of bound away from `batch`. For ResNet-50 at batch 32 on a V100, with efficiencies fitted
/// to the same trace, the convolutions are 31 % off on average and the whole model is 14 % too long.
///
/// Source: Williams, Waterman & Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
///         Architectures", Commun. ACM 52(4), 2009.
std::vector<PassTimes> roofline(std::span<const Layer> layers, const Device& device, int batch);

/// Spreads a published time of one forward and backward pass over the layers, in proportion to their roofline
/// time on `device`; the sum at `batch` is `total`.
///
/// @param total        above 0, at `batch` samples
/// @param fixed_share  share of each layer's time that does not grow with the batch, in [0, 1]
/// @returns one entry per layer; if no layer has any roofline time, equal shares for all
///
/// Leaves out: differences in efficiency between layers; what the total contains besides
/// the two passes (optimizer, data loading) is spread along with them.
std::vector<PassTimes> spread(std::span<const Layer> layers, Seconds total, const Device& device, int batch,
                              double fixed_share);

/// Splits a time measured at one batch into a fixed part and a part per sample.
constexpr LinearTime split(Seconds measured, int batch, double fixed_share) {
  return {measured * fixed_share, measured * (1 - fixed_share) / static_cast<double>(batch)};
}

}  // namespace netmodels
