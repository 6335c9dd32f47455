// The rows of the table of execution models, and cutting a gradient as they do.
#include "netmodels/execution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "netmodels/layer_kind.hpp"
#include "netmodels/nearest.hpp"

namespace netmodels {
namespace {

constexpr Bytes fusion_buffer{128.0 * 1024 * 1024};
constexpr Seconds fusion_cycle{1e-3};
constexpr Bytes deepspeed_bucket{4 * 5e8};  // 5e8 elements

constexpr std::array execution_table{
    ExecutionModel{.name = "ddp_overlap",
                   .summary = "PyTorch DDP: dense buckets, each sent once it is ready.",
                   .source = "Li et al., PVLDB 13(12), 2020; PyTorch torch/nn/parallel/distributed.py",
                   .overlaps = true,
                   .broadcasts_buffers = true,
                   .compresses = false,
                   .unnamed = true},
    ExecutionModel{.name = "ddp_hook",
                   .summary = "PyTorch DDP with a communication hook: each bucket compressed, then sent.",
                   .source = "PyTorch torch/distributed/algorithms/ddp_comm_hooks",
                   .overlaps = true,
                   .broadcasts_buffers = true,
                   .unnamed = true},
    ExecutionModel{.name = "after_backward",
                   .summary = "The whole gradient at once after the backward pass.",
                   .source = "PyTorch scripts that flatten all gradients before one collective",
                   .parts = {.limits = {Bytes{}, Bytes{}}},
                   .unnamed = true},
    ExecutionModel{.name = "per_tensor",
                   .summary = "One exchange for each parameter tensor after the backward pass.",
                   .source = "compression libraries built on per-tensor hooks, such as GRACE (Xu et al., "
                             "ICDCS 2021)",
                   .parts = {.per_tensor = true}},
    ExecutionModel{
        .name = "horovod_fusion",
        .summary = "Horovod: in every cycle what is ready, in fusion buffers.",
        .source = "Horovod horovod/common/operations.cc: fusion threshold 128 MiB, cycle time 1 ms",
        .parts = {.limits = {fusion_buffer, fusion_buffer}, .cycle = fusion_cycle},
        .overlaps = true},
    ExecutionModel{.name = "deepspeed",
                   .summary = "DeepSpeed without ZeRO: a fused dense all-reduce after the backward pass.",
                   .source = "DeepSpeed deepspeed/runtime/engine.py: buckets of 5e8 elements",
                   .parts = {.limits = {deepspeed_bucket, deepspeed_bucket}},
                   .compresses = false},
};

/// Trainable values, tensors and bytes of some layers that become ready one after another.
Bucket bucket_of(std::int64_t elements, std::int64_t tensors, std::size_t lowest, std::size_t highest) {
  return {elements, Bytes{gradient_value_bytes * static_cast<double>(elements)}, tensors, lowest, highest,
          {}};
}

std::vector<Bucket> tensor_buckets(std::span<const Layer> layers) {
  std::vector<Bucket> buckets;
  for (std::size_t index = layers.size(); index-- > 0;) {
    const std::vector<std::int64_t> tensors = parameter_tensors(layers[index]);
    for (std::size_t tensor = tensors.size(); tensor-- > 0;)
      buckets.push_back(bucket_of(tensors[tensor], 1, index, index));
  }
  return buckets;
}

/// Fills the fusion buffers of Horovod's cycles.
class Cycles {
 public:
  Cycles(Seconds cycle, Bytes most) : cycle_(cycle), most_(most) {}

  /// @param ready  since the backward pass began, not before the earlier layers
  void add(const Layer& what, std::size_t layer, Seconds ready) {
    constexpr double rounding = 1e-9;
    const double cycle = std::ceil(ready / cycle_ - rounding);
    const Bytes more{gradient_value_bytes * static_cast<double>(what.parameters)};
    if (cycle != number_ || (most_ > Bytes{} && open_.bytes + more > most_)) close();
    const std::size_t highest = open_.elements == 0 ? layer : open_.highest_layer;
    open_ = bucket_of(open_.elements + what.parameters, open_.tensors + std::ssize(parameter_tensors(what)),
                      layer, highest);
    number_ = cycle;
    open_.delay = std::max(Seconds{}, cycle_ * cycle - ready);
  }

  std::vector<Bucket> take() {
    close();
    return std::move(buckets_);
  }

 private:
  void close() {
    if (open_.elements > 0) buckets_.push_back(open_);
    open_ = {};
  }

  Seconds cycle_;
  Bytes most_;
  double number_ = 0;  ///< number of the cycle that sends the open buffer
  Bucket open_;
  std::vector<Bucket> buckets_;
};

std::vector<Bucket> fused_buckets(std::span<const Layer> layers, const GradientParts& parts, double batch) {
  Cycles cycles(parts.cycle, parts.limits.later);
  Seconds ready;
  for (std::size_t index = layers.size(); index-- > 0;) {
    ready += layers[index].backward.at(batch);
    if (layers[index].parameters > 0) cycles.add(layers[index], index, ready);
  }
  return cycles.take();
}

/// Weights that each output of a layer has, where its FLOPs show them.
std::optional<std::int64_t> weights_per_output(const Layer& layer) {
  constexpr double flops_per_weight = 2;
  constexpr double bytes_per_output = 4;  // fp32
  const double outputs = layer.activation.count / bytes_per_output;
  if (outputs <= 0) return std::nullopt;
  const double weights = layer.forward_flops.count / (flops_per_weight * outputs);
  if (weights < 1 || weights != std::floor(weights)) return std::nullopt;
  return static_cast<std::int64_t>(weights);
}

}  // namespace

std::span<const ExecutionModel> execution_models() { return execution_table; }

const ExecutionModel& unnamed_execution_model(bool overlaps, bool compresses) {
  return *std::ranges::find_if(execution_table, [&](const ExecutionModel& row) {
    return row.unnamed && row.overlaps == overlaps && (row.compresses || !compresses);
  });
}

Result<const ExecutionModel*> find_execution_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ExecutionModel& row : execution_table) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  return refuse("", "unknown execution model `" + std::string(name) + "`", accepted_names(name, names),
                nearest_change(name, names));
}

std::vector<std::int64_t> parameter_tensors(const Layer& layer) {
  const std::int64_t all = layer.parameters;
  if (all == 0) return {};
  if (find_layer_kind(layer.kind).scales_and_shifts && all % 2 == 0) return {all / 2, all / 2};
  const auto weights = weights_per_output(layer);
  if (!weights || all % (*weights + 1) != 0) return {all};
  const std::int64_t outputs = all / (*weights + 1);
  return {all - outputs, outputs};
}

std::vector<Bucket> cut_gradient(std::span<const Layer> layers, const GradientParts& parts, double batch) {
  if (parts.per_tensor) return tensor_buckets(layers);
  if (parts.cycle > Seconds{}) return fused_buckets(layers, parts, batch);
  return gradient_buckets(layers, parts.limits);
}

}  // namespace netmodels
