// Execution models: how training frameworks cut the gradient, and when they exchange its parts.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "netmodels/buckets.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// How the gradient is cut into parts that are exchanged one after another.
struct GradientParts {
  BucketLimits limits = {};
  bool per_tensor = false;  ///< a part for each parameter tensor; the limits are not used
  /// 0: a bucket is sent once it is full. Otherwise gradients are sent at multiples of this time since the
  /// backward pass began: all that are ready, in buckets of at most `limits.later`.
  Seconds cycle = {};

  bool operator==(const GradientParts&) const = default;
};

/// One row of the table.
struct ExecutionModel {
  std::string_view name;  ///< as in scenarios
  std::string_view summary;
  std::string_view source;
  GradientParts parts = {};
  bool overlaps = false;            ///< parts are sent during the backward pass
  bool broadcasts_buffers = false;  ///< rank 0 sends the model's buffers before every forward pass
  bool compresses = true;           ///< can send something else than the dense gradient
  bool unnamed = false;             ///< taken where a scenario states overlap or buckets without a name
};

/// Every execution model, in a stable order.
std::span<const ExecutionModel> execution_models();

/// The model of a scenario that names none but states whether parts overlap the backward pass.
/// @param compresses  whether something else than the dense gradient is sent
const ExecutionModel& unnamed_execution_model(bool overlaps, bool compresses);

/// @returns the row, or an Error that names the nearest known one
Result<const ExecutionModel*> find_execution_model(std::string_view name);

/// The parameter tensors of a layer: trainable values of each, in the order of their registration.
///
/// Batch and layer normalisation have a weight and a bias of equal size. Layers whose FLOPs are two for each
/// weight and output (convolutions, linear layers) have a weight and, if the count of parameters says so, a
/// bias: inputs per output = 2 * forward_flops / activation. All other layers count as one tensor.
/// @returns at least one; none for a layer without parameters
std::vector<std::int64_t> parameter_tensors(const Layer& layer);

/// The parts of the gradient in the order in which they become ready.
/// @param layers  in forward order
/// @param batch   samples per worker, above 0; matters with a cycle only
///
/// Leaves out: with a cycle, that Horovod's cycles do not begin with the backward pass, and the time in which
///             ranks agree on what is ready, which makes cycles longer on links of long latency; that slow
///             workers deliver later than at nominal speed.
std::vector<Bucket> cut_gradient(std::span<const Layer> layers, const GradientParts& parts, double batch);

}  // namespace netmodels
