// Conditions on the collective of an arm, and on its measured times.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/nearest.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {

// Whether the collective fits the method, and the names to choose from.

namespace {

using netmodels::CollectiveKind;
using netmodels::Result;

Result<void> check_library(const Exchange& exchange, const language::Value& tree) {
  const auto is_word = [](std::string_view name) {
    return std::ranges::find(library_words(), name, &settings::TableWord::name) != library_words().end();
  };
  if (!exchange.library || is_word(*exchange.library)) return {};
  const auto known = netmodels::libraries();
  return language::refuse_at(
      tree, "exchange.library", "unknown library `" + *exchange.library + "`",
      netmodels::accepted_names(*exchange.library, known) + ", none",
      {{"exchange.library", std::string(netmodels::nearest(*exchange.library, known).value_or(no_library))}});
}

}  // namespace

namespace {

/// Refuses a name that a table does not have.
template <class Row>
Result<void> check_name(const Result<Row>& found, const language::Value& tree, const std::string& path,
                        std::string_view more = "") {
  if (found) return {};
  std::vector<netmodels::Change> remedy = found.error().remedy;
  for (netmodels::Change& change : remedy) change.key = path;
  return language::refuse_at(tree, path, found.error().what, found.error().hint + std::string(more),
                             std::move(remedy));
}

}  // namespace

Result<void> check_names(const Exchange& exchange, const std::string& method,
                         const std::vector<std::string>& compress, const language::Value& tree) {
  std::vector<netmodels::Error> errors;
  const auto add = [&](Result<void> known) {
    if (!known) errors.push_back(std::move(known.error()));
  };
  add(check_name(kernels::find_wire_format(method), tree, "compression.method"));
  if (exchange.execution)
    add(check_name(netmodels::find_execution_model(*exchange.execution), tree, "exchange.execution"));
  for (std::size_t i = 0; i < exchange.among.size(); ++i)
    add(check_name(netmodels::find_collective(exchange.among[i]), tree, language::item("exchange.among", i)));
  if (!policies::chooses_collective(exchange.collective))
    add(check_name(netmodels::find_collective(exchange.collective), tree, "exchange.collective",
                   "; or `auto`"));
  for (std::size_t i = 0; i < compress.size(); ++i)
    add(check_name(netmodels::find_shard_sending(compress[i]), tree,
                   language::item("parallelism.compress", i)));
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

Result<void> check_exchange(const Exchange& exchange, const Compression& compression,
                            const language::Value& tree) {
  const auto format = kernels::find_wire_format(compression.method);
  if (auto checked = check_compression(compression, tree); !checked) return checked;
  if (auto checked = check_library(exchange, tree); !checked) return checked;
  if (policies::chooses_collective(exchange.collective)) return {};
  const auto collective = netmodels::find_collective(exchange.collective);
  if ((*collective)->kind == CollectiveKind::ar_topk && compression.index_bytes != 4) {
    return language::refuse_at(
        tree, "exchange.collective",
        "`" + exchange.collective + "` assumes indices of 4 bytes; `compression.index_bytes` is 8",
        "choose an all-reduce such as `ring_allreduce`, before which the indices are broadcast");
  }
  const bool may_change = compression.policy->traits.decides;  // then a fitting one is chosen
  if (may_change || kernels::carries((*collective)->kind, **format)) return {};
  std::string fitting = "auto";
  for (const netmodels::Collective& row : netmodels::collectives()) {
    if (kernels::carries(row.kind, **format)) fitting += ", " + std::string(row.name);
  }
  return language::refuse_at(
      tree, "exchange.collective",
      "`" + exchange.collective + "` cannot carry what the method `" + compression.method + "` sends",
      "accepted with this method: " + fitting, {{"exchange.collective", "auto"}});
}

// Measured times of collectives.

namespace {

/// What carries gradients, and parameters of which workers hold shards.
/// @param values  of a gradient
std::vector<CollectiveKind> kinds_of_gradients(bool sharded, const std::string& method, std::int64_t values) {
  if (sharded) return {CollectiveKind::reduce_scatter, CollectiveKind::all_gather};
  const auto format = kernels::find_wire_format(method);
  std::vector<CollectiveKind> kinds;
  for (const kernels::Stage& stage : (*format)->stages({.elements = values})) kinds.push_back(stage.kind);
  return kinds;
}

}  // namespace

std::vector<std::string> measured_warnings(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                           Evaluator evaluator, const language::Value& tree) {
  const bool used = evaluator == Evaluator::automatic && cluster.workers > 1;
  if (cluster.measured.empty() || !used || decided_by_step(exchange.compression)) return {};
  const auto nodes = static_cast<std::uint32_t>(cluster.workers / cluster.workers_per_node);
  std::vector<CollectiveKind> kinds = kinds_of_gradients(
      work.parallelism.is_sharded(), exchange.compression.method, work.workload.parameters());
  const Execution execution = execution_of(exchange, exchange.compression);
  if (broadcasts_buffers(execution, exchange.synchronisation, work.workload, cluster.workers))
    kinds.push_back(CollectiveKind::broadcast);
  std::vector<std::string> found;
  for (const CollectiveKind kind : kinds) {
    if (netmodels::find_measured(cluster.measured, kind, static_cast<std::uint32_t>(cluster.workers),
                                 nodes) != nullptr)
      continue;
    found.push_back(fmt::format(
        "{}: `cluster.collective_times` has no {} on {} ranks of {} nodes: its times are computed from links",
        place_of(tree, "cluster.collective_times"), netmodels::to_string(kind), cluster.workers, nodes));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());  // clang 14 rejects ranges::unique
  return found;
}

}  // namespace sim::scenario
