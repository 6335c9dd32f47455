// Chooses the execution model of an arm, and says so.
#include "sim/scenario/execution.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "netmodels/buckets.hpp"
#include "netmodels/traced_step.hpp"
#include "sim/language/place.hpp"

namespace sim::scenario {
namespace {

using netmodels::BucketLimits;
using netmodels::Bytes;
using netmodels::ExecutionModel;
using netmodels::GradientParts;

struct ChosenModel {
  std::string_view name;
  ExecutionOrigin origin;
};

bool sends_buckets(const Exchange& exchange) {
  return exchange.first_bucket.has_value() || exchange.bucket.has_value();
}

ChosenModel choose_model(const Exchange& exchange, kernels::Method method, bool decides) {
  const bool compresses = decides || method.compresses();
  if (exchange.execution) {
    const auto stated = netmodels::find_execution_model(*exchange.execution);
    if (stated && ((*stated)->compresses || !compresses)) return {(*stated)->name, ExecutionOrigin::stated};
  }
  const auto unnamed = [&](bool overlaps) {
    return netmodels::unnamed_execution_model(overlaps, compresses).name;
  };
  if (exchange.overlap && !*exchange.overlap) return {unnamed(false), ExecutionOrigin::keys};
  if (exchange.overlap || sends_buckets(exchange)) return {unnamed(true), ExecutionOrigin::keys};
  if (decides) return {unnamed(false), ExecutionOrigin::policy};
  return {method->execution, ExecutionOrigin::method};
}

/// The model's limits with those that are stated.
BucketLimits limits_of(const Exchange& exchange, const GradientParts& model) {
  const bool no_buckets = model.per_tensor || model.limits == BucketLimits{Bytes{}, Bytes{}};
  BucketLimits limits = no_buckets ? BucketLimits{} : model.limits;
  const bool one_size = limits.first == limits.later;
  if (one_size)
    limits = {exchange.bucket.value_or(limits.first), exchange.first_bucket.value_or(limits.later)};
  return {exchange.first_bucket.value_or(limits.first), exchange.bucket.value_or(limits.later)};
}

GradientParts parts_of(const Exchange& exchange, const ExecutionModel& model, bool overlap) {
  GradientParts parts = model.parts;
  if (!overlap) parts.cycle = {};
  if (!sends_buckets(exchange)) return parts;
  parts.limits = limits_of(exchange, model.parts);
  parts.per_tensor = false;
  return parts;
}

/// "1 MiB"; `print` writes decimal units.
std::string size_text(Bytes size) {
  constexpr double mebibyte = 1048576;
  const double mebibytes = size.count / mebibyte;
  const bool whole = mebibytes >= 1 && mebibytes == std::trunc(mebibytes);
  return whole ? fmt::format("{:.0f} MiB", mebibytes) : netmodels::print(size);
}

std::string buckets_text(const BucketLimits& limits) {
  if (limits.first == Bytes{}) return "the whole gradient at once";
  if (limits.later == Bytes{}) return fmt::format("a bucket of {}, then the rest", size_text(limits.first));
  if (limits.first == limits.later) return fmt::format("buckets of {}", size_text(limits.first));
  return fmt::format("buckets of {}, then {}", size_text(limits.first), size_text(limits.later));
}

std::string parts_text(const GradientParts& parts) {
  if (parts.per_tensor) return "one exchange for each parameter tensor";
  if (parts.cycle == netmodels::Seconds{}) return buckets_text(parts.limits);
  return fmt::format("every {} what is ready, in buckets of at most {}", netmodels::print(parts.cycle),
                     size_text(parts.limits.later));
}

/// The keys that name a model without its name.
std::string keys_text(const Exchange& exchange) {
  std::string keys;
  const auto add = [&](bool stated, std::string_view key) {
    if (stated) keys += fmt::format("{}`{}`", keys.empty() ? "" : ", ", key);
  };
  add(exchange.overlap.has_value(), "overlap");
  add(exchange.first_bucket.has_value(), "first_bucket");
  add(exchange.bucket.has_value(), "bucket");
  return keys;
}

/// @param method  of what is sent
std::string origin_text(ExecutionOrigin origin, const Exchange& exchange, const Compression& compression,
                        kernels::Method method) {
  switch (origin) {
    case ExecutionOrigin::stated: return "stated";
    case ExecutionOrigin::keys: return "from " + keys_text(exchange);
    case ExecutionOrigin::policy:
      return fmt::format("the default where a policy compresses (`{}`)", compression.policy.name());
    case ExecutionOrigin::method: break;
  }
  return method.compresses() ? fmt::format("the default of `{}`", method.name())
                             : "the default without compression";
}

}  // namespace

Execution execution_of(const Exchange& exchange, kernels::Method method, bool decides) {
  const ChosenModel chosen = choose_model(exchange, method, decides);
  const ExecutionModel& model = **netmodels::find_execution_model(chosen.name);
  const bool overlap = exchange.overlap.value_or(model.overlaps);
  return {.model = &model,
          .parts = parts_of(exchange, model, overlap),
          .overlap = overlap,
          .broadcasts_buffers = exchange.broadcast_buffers.value_or(model.broadcasts_buffers),
          .origin = chosen.origin};
}

Execution execution_of(const Exchange& exchange, const Compression& compression) {
  return execution_of(exchange, compression.stated().method, compression.policy->traits.decides);
}

bool broadcasts_buffers(const Execution& execution, const policies::SynchronisationChoice& method,
                        const netmodels::Workload& workload, int workers) {
  const bool steps_of_gradients = !is_asynchronous(method) && !exchanges_models(method);
  return workers > 1 && steps_of_gradients && workload.buffers > Bytes{} && execution.broadcasts_buffers;
}

bool exchanges_gradients(const policies::SynchronisationChoice& method, int site) {
  const bool between =
      !is_asynchronous(method) &&
      (!exchanges_models(method) || method->traits.switches_to_models || method->traits.flags);
  return between || site > 1;
}

/// Sentence on exchanges inside sites; empty where there are none.
static std::string describe_sites(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  if (workers_of_site(work.parallelism, cluster) == 1) return "";
  return fmt::format("inside a node, in every step, {}", work.parallelism.is_sharded()
                                                             ? describe_sharding(work, cluster, exchange)
                                                             : "whole gradients");
}

/// How models are exchanged.
/// @param method  of compression
/// @param inside  of sites
static std::string describe_models(const policies::Streaming& streaming, kernels::Method method,
                                   const std::optional<Through>& through, const std::string& inside) {
  const std::string what =
      streaming.fragments > 1 ? fmt::format("one of {} fragments of the model at a time", streaming.fragments)
                              : "the whole model at once";
  std::string text = method.compresses()
                         ? fmt::format("the change of {} by `{}`, after the optimizer", what, method.name())
                         : what + ", after the optimizer";
  if (streaming.eager)
    text += ", overlapping the next round";
  else if (streaming.delay > 0)
    text += fmt::format(", overlapping {} step{}", streaming.delay, streaming.delay == 1 ? "" : "s");
  if (through)
    text += through->kind == ThroughKind::server ? ", through a server" : ", through an object store";
  return inside.empty() ? text : text + ", between nodes; " + inside;
}

static std::string describe_merging(const policies::MergingServer& merging, const std::string& inside) {
  const std::string what = merging.fragments > 1 ? fmt::format("{} fragments of its model", merging.fragments)
                                                 : std::string("its model");
  if (inside.empty()) return fmt::format("each worker exchanges {} with a server by itself", what);
  return fmt::format("each node exchanges {} with a server by itself; {}", what, inside);
}

static std::string describe_micro_batches(int count) {
  return count > 1 ? fmt::format("; {} micro-batches", count) : "";
}

/// How wide gradients are that are sent as they are; empty where nothing says so.
/// @param stated  bytes of a gradient; 0: not stated
static std::string describe_width(double stated, const netmodels::Workload& workload) {
  if (stated > 0) return fmt::format("; gradients sent in {:g} bytes", stated);
  if (!workload.memory) return "";
  return fmt::format(
      "; gradients sent in {} bytes, as DDP does for fp32 parameters under autocast (for bf16 parameters "
      "write `parallelism: {{gradient_bytes: 2}}`)",
      netmodels::gradient_value_bytes);
}

std::string describe_execution(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  return describe_execution(work, cluster, exchange, exchange.compression.stated().method);
}

std::string describe_execution(const Work& work, const Cluster& cluster, const Exchange& exchange,
                               kernels::Method method) {
  if (cluster.workers == 1) return "one worker exchanges nothing";
  if (const auto merging = merging_server_of(exchange.synchronisation))
    return describe_merging(*merging, describe_sites(work, cluster, exchange));
  if (is_asynchronous(exchange.synchronisation)) return "each worker exchanges with the server by itself";
  if (exchanges_models(exchange.synchronisation))
    return describe_models(streaming_of(exchange.synchronisation), exchange.compression.stated().method,
                           exchange.through, describe_sites(work, cluster, exchange));
  const std::string accumulated = describe_micro_batches(work.training.accumulation);
  if (work.workload.traced)
    return fmt::format("as it was traced: {} operations", work.workload.traced->operations.size());
  if (work.parallelism.is_sharded()) return describe_sharding(work, cluster, exchange) + accumulated;
  const bool decides = exchange.compression.policy->traits.decides;
  const Execution execution = execution_of(exchange, method, decides);
  std::string text =
      fmt::format("{} ({}, {})", execution.model->name, parts_text(execution.parts),
                  execution.overlap ? "overlapping the backward pass" : "after the backward pass");
  text += ", " + origin_text(execution.origin, exchange, exchange.compression, method) + accumulated;
  if (!method.compresses() && !decides)
    text += describe_width(work.parallelism.gradient_bytes.value_or(0), work.workload);
  const bool broadcasts = broadcasts_buffers(execution_of(exchange, exchange.compression),
                                             exchange.synchronisation, work.workload, cluster.workers);
  if (!broadcasts) return text;
  return text + fmt::format("; buffers of {} are broadcast before the forward pass",
                            netmodels::print(work.workload.buffers));
}

}  // namespace sim::scenario
