// From gradient buckets and a wire format to operations on ranks.
#include <algorithm>
#include <cmath>

#include "kernels/catalogue.hpp"
#include "netmodels/group_collectives.hpp"
#include "netmodels/library_defaults.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/scenario/execution.hpp"

namespace sim::engine {
namespace {

using netmodels::Collective;
using netmodels::CollectiveKind;

/// A published closed form may count M as one rank's contribution where nccl-tests counts the total.
bool counts_contributions(const ExchangeQuestion& question) {
  return question.named != nullptr && question.named->size == netmodels::SizeMeaning::contribution;
}

netmodels::Operation operation_of(const ExchangeQuestion& question, std::uint32_t workers,
                                  const kernels::Stage& stage) {
  netmodels::Operation operation;
  const double width = question.value_bytes / netmodels::gradient_value_bytes;
  operation.ranks = workers;
  operation.size = width * (stage.kind == CollectiveKind::all_gather && !counts_contributions(question)
                                ? stage.per_rank * workers
                                : stage.per_rank);
  operation.group = node_group(workers, question.workers_per_node);
  operation.chunks = question.chunks;
  return operation;
}

/// Those of a kind to which the scenario narrows the choice.
std::vector<const Collective*> named_among(const ExchangeQuestion& question, CollectiveKind kind) {
  std::vector<const Collective*> rows;
  for (const std::string& name : question.among) {
    const Collective& row = netmodels::collective_row(name);
    if (row.kind == kind) rows.push_back(&row);
  }
  return rows;
}

/// The kind of collective that is open to choice. AR-Topk is a broadcast of indices and an all-reduce of
/// values; only the all-reduce is, unless the scenario names a row that does both.
CollectiveKind open_kind(const ExchangeQuestion& question, CollectiveKind exchange) {
  if (exchange != CollectiveKind::ar_topk) return exchange;
  if (question.named != nullptr) return question.named->kind;
  const bool both = !named_among(question, CollectiveKind::ar_topk).empty();
  return both ? CollectiveKind::ar_topk : CollectiveKind::all_reduce;
}

/// What one of the fragments holds of it, rounded up.
netmodels::Bucket fragment_of(netmodels::Bucket bucket, std::int64_t fragments) {
  bucket.elements = (bucket.elements + fragments - 1) / fragments;
  bucket.tensors = (bucket.tensors + fragments - 1) / fragments;
  return bucket;
}

/// The stages of one message; rows of AR-Topk's own kind evaluate its broadcast and its all-reduce as one
/// operation on the values (their indices are as many bytes: a reader accepts those rows with indices of 4
/// bytes only).
std::vector<kernels::Stage> stages_of(const kernels::Entry& format, const kernels::Payload& payload,
                                      CollectiveKind open) {
  std::vector<kernels::Stage> stages = format.stages(payload);
  if (open != CollectiveKind::ar_topk) return stages;
  std::erase_if(stages, [](const kernels::Stage& stage) { return stage.kind == CollectiveKind::broadcast; });
  for (kernels::Stage& stage : stages) {
    if (stage.kind == CollectiveKind::all_reduce) stage.kind = CollectiveKind::ar_topk;
  }
  return stages;
}

/// Helpers of an exchange are the library's default; without one they are small and go the way of fewest
/// rounds, and a broadcast enters each node once.
/// @param group  ranks per node
const Collective* helper(const ExchangeQuestion& question, CollectiveKind kind, std::uint32_t group) {
  if (!question.library.empty()) return netmodels::rows_of(question.library, kind, false).front();
  if (kind != CollectiveKind::broadcast) return &netmodels::collective_row("recursive_doubling_allgather");
  return &netmodels::collective_row(group > 1 ? "hierarchical_broadcast" : "binomial_broadcast");
}

std::vector<const Collective*> candidates_for(const ExchangeQuestion& question, CollectiveKind kind,
                                              std::uint32_t group) {
  if (question.named != nullptr) return {question.named};
  std::vector<const Collective*> rows = named_among(question, kind);
  return rows.empty() ? netmodels::rows_of(question.library, kind, group > 1) : rows;
}

/// As NCCL cuts a broadcast. Source: NCCL src/init.cc, src/include/collectives.h: 4 MiB in 8 slots, one slot
/// a chunk.
std::uint32_t broadcast_chunks(netmodels::Bytes size) {
  constexpr netmodels::Bytes chunk{524288};
  return static_cast<std::uint32_t>(std::min<double>(std::ceil(size / chunk), netmodels::most_ranks));
}

/// As the library does; without one down a chain of ranks.
netmodels::BucketStage broadcast_of(netmodels::Bytes buffers, std::uint32_t workers,
                                    std::string_view library) {
  netmodels::Operation operation;
  operation.ranks = workers;
  operation.size = buffers;
  operation.chunks = broadcast_chunks(buffers);
  const Collective* row = netmodels::find_default(library, CollectiveKind::broadcast);
  return {row != nullptr ? row : &netmodels::collective_row("pipelined_broadcast"), operation};
}

/// Limits are of bytes, and buckets are cut as if values had 4.
netmodels::GradientParts parts_in_width(const ExchangeQuestion& question) {
  netmodels::GradientParts parts = question.parts;
  const double more = netmodels::gradient_value_bytes / question.value_bytes;
  parts.limits.first *= more;
  parts.limits.later *= more;
  return parts;
}

/// The exchange of one bucket; open stages are left to the policy.
netmodels::BucketExchange exchange_of_bucket(const ExchangeQuestion& question,
                                             const netmodels::Bucket& bucket, std::uint32_t workers) {
  const kernels::Entry& format = *question.sent.method;
  const CollectiveKind open = open_kind(question, format.exchange);
  netmodels::BucketExchange planned{bucket, {}};
  const kernels::Payload payload{bucket.elements, question.sent.ratio, question.index_bytes,
                                 question.by_variance, question.proportional_tiles};
  for (const kernels::Stage& stage : stages_of(format, payload, open)) {
    if (workers == 1) break;
    const netmodels::Operation operation = operation_of(question, workers, stage);
    const Collective* named = stage.kind == open ? nullptr : helper(question, stage.kind, operation.group);
    planned.stages.push_back({named, operation});
  }
  return planned;
}

/// Collectives that the library runs for all kinds but the open one, whose row is null.
netmodels::TracedRows rows_of_library(const ExchangeQuestion& question) {
  const auto row_of = [&](CollectiveKind kind, std::string_view otherwise) {
    const Collective* row = netmodels::find_default(question.library, kind);
    return row != nullptr ? row : &netmodels::collective_row(otherwise);
  };
  netmodels::TracedRows rows{row_of(CollectiveKind::all_reduce, "ring_allreduce"),
                             row_of(CollectiveKind::all_gather, "ring_allgather"),
                             row_of(CollectiveKind::reduce_scatter, "ring_reduce_scatter"),
                             row_of(CollectiveKind::broadcast, "pipelined_broadcast")};
  const kernels::Entry& format = *question.sent.method;
  if (open_kind(question, format.exchange) == CollectiveKind::all_reduce) rows.all_reduce = nullptr;
  return rows;
}

}  // namespace

ExchangeQuestion stated_exchange(const StepSettings& settings) {
  return exchange_of(settings, settings.compression.stated());
}

ExchangeQuestion exchange_of(const StepSettings& settings, const policies::CompressionChoice& sent) {
  const scenario::Compression& compression = settings.compression;
  const scenario::Exchange& exchange = settings.exchange;
  const scenario::Execution execution =
      scenario::execution_of(exchange, sent.method, compression.policy->traits.decides);
  return {.layers = settings.workload.layers,
          .parts = execution.parts,
          .overlap = execution.overlap,
          .batch = static_cast<double>(settings.training.batch),
          .buffers = execution.broadcasts_buffers ? settings.workload.buffers : netmodels::Bytes{},
          .sent = sent,
          .index_bytes = compression.index_bytes,
          .by_variance = compression.selection == scenario::Selection::variance,
          .proportional_tiles = compression.topk_per_tile == scenario::TileTopK::proportional,
          .named = policies::named_collective(exchange.collective),
          .among = exchange.among,
          .library = settings.library,
          .chunks = static_cast<std::uint32_t>(exchange.chunks),
          .workers_per_node = settings.workers_per_node,
          .value_bytes = sent.compresses() ? netmodels::gradient_value_bytes : settings.gradient_bytes};
}

ExchangePlan plan_exchange(const ExchangeQuestion& question, std::uint32_t workers) {
  ExchangePlan plan;
  const kernels::Entry& format = *question.sent.method;
  const CollectiveKind open = open_kind(question, format.exchange);
  if (workers > 1 && question.buffers > netmodels::Bytes{})
    plan.buffers = broadcast_of(question.buffers, workers, question.library);
  for (const netmodels::Bucket& whole :
       cut_gradient(question.layers, parts_in_width(question), question.batch)) {
    const netmodels::Bucket bucket = fragment_of(whole, question.fragments);
    plan.buckets.push_back(exchange_of_bucket(question, bucket, workers));
    for (const netmodels::BucketStage& stage : plan.buckets.back().stages)
      if (stage.row == nullptr) plan.open_operations.push_back(stage.operation);
  }
  const std::uint32_t group = plan.open_operations.empty() ? 1 : plan.open_operations.front().group;
  plan.candidates = candidates_for(question, open, group);
  return plan;
}

std::vector<netmodels::BucketExchange> plan_traced_gradients(const ExchangeQuestion& question,
                                                             const netmodels::TracedStep& step,
                                                             std::uint32_t workers) {
  std::vector<netmodels::BucketExchange> planned;
  if (!question.sent.compresses() || workers == 1) return planned;
  for (const std::uint32_t index : step.gradients()) {
    const netmodels::TracedCollective& summed = *step.operations[index].collective;
    netmodels::Bucket bucket;
    bucket.elements = static_cast<std::int64_t>(summed.size.count / summed.value_bytes);
    bucket.tensors = 1;
    planned.push_back(exchange_of_bucket(question, bucket, workers));
  }
  return planned;
}

TracedPlan plan_traced(const ExchangeQuestion& question, const netmodels::TracedStep& step,
                       std::uint32_t workers, std::vector<netmodels::BucketExchange> gradients) {
  const std::uint32_t group = node_group(workers, question.workers_per_node);
  const netmodels::TracedRows rows = rows_of_library(question);
  TracedPlan plan{netmodels::traced_graph(step, {workers, group}, rows, gradients), {}};
  for (const std::uint32_t index : plan.graph.collectives) {
    netmodels::StepOperation& operation = plan.graph.operations[index];
    operation.operation.chunks = question.chunks;
    if (operation.row == rows.broadcast || operation.row == &netmodels::group_broadcast)
      operation.operation.chunks = broadcast_chunks(operation.operation.size);
    if (operation.row == nullptr) plan.exchange.open_operations.push_back(operation.operation);
  }
  plan.exchange.candidates =
      candidates_for(question, open_kind(question, question.sent.method->exchange), group);
  plan.exchange.buckets = std::move(gradients);
  return plan;
}

}  // namespace sim::engine
