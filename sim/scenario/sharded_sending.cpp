// Conditions on what sharded steps compress, and words for it.
#include "sim/scenario/sharded_sending.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::QuantizedForm;
using netmodels::Result;
using netmodels::ShardSending;

/// All names can be used together.
Result<ShardSending> combined(const Parallelism& stated, const language::Value& tree) {
  ShardSending sum;
  for (std::size_t i = 0; i < stated.compress.size(); ++i) {
    const std::string place = language::item("parallelism.compress", i);
    const auto row = netmodels::find_shard_sending(stated.compress[i]);
    const auto next = netmodels::together(sum, (*row)->sending);
    if (!next) return language::refuse_at(tree, place, next.error().what, next.error().hint);
    sum = *next;
  }
  return sum;
}

Result<void> check_nodes(const Cluster& cluster, const ShardSending& sending, const language::Value& tree) {
  if (!sending.secondary && !sending.gradients_within) return {};
  if (cluster.workers % cluster.workers_per_node != 0)
    return language::refuse_at(
        tree, "cluster.workers",
        fmt::format("{} workers do not fill nodes of {}, and exchanges inside nodes are of whole ones",
                    cluster.workers, cluster.workers_per_node),
        "write a multiple of `workers_per_node`");
  if (sending.secondary && (cluster.workers_per_node == 1 || cluster.workers == cluster.workers_per_node))
    return language::refuse_at(
        tree, "parallelism",
        fmt::format("second copies are kept in shares of a node, and {}",
                    cluster.workers_per_node == 1 ? "nodes have 1 worker" : "there is 1 node"),
        "write several nodes of several workers, or leave out `hpz`");
  return {};
}

/// Whether a time of compressing is known for it.
bool has_time(const Compression& compression, const QuantizedForm& form) {
  if (compression.time) return true;
  const auto of_kernel = [&](const auto& row) { return row.method == kernel_of(form); };
  return std::ranges::any_of(compression.times, of_kernel) ||
         std::ranges::any_of(compression.kernels.rows, of_kernel) ||
         std::ranges::any_of(compression.framework.rows, of_kernel);
}

/// "8 bits".
std::string bits_text(const QuantizedForm& form) {
  return fmt::format("{:g} bits{}", form.bits, form.integer ? "" : " of a float");
}

}  // namespace

ShardSending sending_of(const Parallelism& stated) {
  ShardSending sum;
  const auto add = [&sum](std::string_view name) {
    if (name.empty()) return;
    const auto row = netmodels::find_shard_sending(name);
    if (!row) return;
    if (const auto next = netmodels::together(sum, (*row)->sending)) sum = *next;
  };
  add(stated.data->sending);
  for (const std::string& name : stated.compress) add(name);
  return sum;
}

std::string_view kernel_of(const QuantizedForm& form) {
  constexpr double byte = 8;
  if (form.share < 1) return "dct_topk";
  if (!form.integer) return "";
  return form.bits == byte ? "int8" : "block_4bit";
}

std::string describe_sending(const ShardSending& sending) {
  std::string text;
  if (sending.parameters)
    text +=
        fmt::format("; {} gathered in {}", sending.differences ? "differences of parameters" : "parameters",
                    bits_text(*sending.parameters));
  if (sending.secondary) text += "; gathered inside nodes for the backward pass, from second copies";
  if (sending.gradients_within)
    text += fmt::format("; gradients summed all to all in {} inside nodes, {} between them",
                        bits_text(*sending.gradients_within), bits_text(*sending.gradients_between));
  if (sending.replicas)
    text += fmt::format("; between nodes {:.2g} % of the values, {:g} bits each",
                        100 * sending.replicas->share, sending.replicas->bits);
  if (sending.error_bytes > 0) text += "; with error feedback";
  return text;
}

Result<void> check_sending(const Parallelism& stated, const Cluster& cluster, const Compression& compression,
                           const std::optional<netmodels::Device>& device, const language::Value& tree) {
  const auto sum = combined(stated, tree);
  if (!sum) return tl::unexpected(sum.error());
  const ShardSending sending = sending_of(stated);
  if (auto checked = check_nodes(cluster, sending, tree); !checked) return checked;
  for (const auto& form : sending.forms()) {
    if (form && !device && !has_time(compression, *form))
      return language::refuse_at(
          tree, "parallelism",
          "the time of quantising is unknown: no file describes the device of the workload",
          "state `compression.time`, or a `device` in the workload");
  }
  return {};
}

}  // namespace sim::scenario
