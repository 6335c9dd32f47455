// Finds what the resolved values of an arm offer.
#include "sim/scenario/resolved_facts.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using settings::Capabilities;
using settings::Capability;

constexpr std::array<std::string_view, 1> workload_keys{"workload"};
constexpr std::array<std::string_view, 2> state_keys{"parallelism.data", "workload"};
constexpr std::array<std::string_view, 3> fabric_keys{"cluster.fabric.transport",
                                                      "cluster.inner_fabric.transport", "cluster"};
constexpr std::array<std::string_view, 4> execution_keys{"exchange.execution", "exchange.overlap",
                                                         "exchange.bucket", "compression.method"};
constexpr std::array<std::string_view, 2> collective_keys{"exchange.collective", "compression.policy"};
constexpr std::array<std::string_view, 2> method_keys{"compression.method", "compression.policy"};

constexpr std::array fact_rows{
    ResolvedFact{Capability::root_unit,
                 "the workload has none, or none before those of the last stage of a pipeline", "",
                 workload_keys},
    ResolvedFact{Capability::counted_states,
                 "nothing is shared among workers, and the memory that the workload keeps is unknown",
                 "write `parallelism.data`, or describe the model by `transformer`", state_keys},
    ResolvedFact{Capability::model_buffers, "the workload has none", "write `workload.buffers`",
                 workload_keys},
    ResolvedFact{Capability::flow_cap, "the transport has none",
                 "name a transport that has one, such as `nccl_tcp_aws`", fabric_keys},
    ResolvedFact{Capability::placement_cap, "the transport has none",
                 "name a transport that has one, such as `nccl_tcp_aws`", fabric_keys},
    ResolvedFact{Capability::overlapping, "they begin after it", "write `exchange: {overlap: true}`",
                 execution_keys},
    ResolvedFact{Capability::library_choice, "`exchange.collective` names the algorithm of all of them",
                 "write `exchange.collective: auto`", collective_keys},
    ResolvedFact{Capability::carried_choice, "none of those named does", "name one that does", method_keys},
    ResolvedFact{Capability::collective_choices, "`exchange.collective` names one for the whole run",
                 "write `exchange.collective: auto`", collective_keys},
    ResolvedFact{Capability::open_rules, "a library chooses by rules of its own",
                 "write `exchange.library: none`", collective_keys},
    ResolvedFact{Capability::chunked, "the collective is not, or is one of a library with rules of its own",
                 "write a collective such as `pipelined_binary_tree_allreduce`, or `exchange.library: none`",
                 collective_keys},
};

/// A capability, and whether a run has it.
struct Offer {
  Capability capability;
  bool holds;
};

Capabilities capabilities_of(std::initializer_list<Offer> offers) {
  Capabilities found;
  for (const Offer& offer : offers)
    if (offer.holds) found |= {offer.capability};
  return found;
}

Capabilities facts_of(const netmodels::Workload& workload, const Parallelism& parallelism) {
  const bool by_blocks = parallelism.unit != netmodels::ShardGrouping::root;
  return capabilities_of({{Capability::root_unit, by_blocks || netmodels::has_root_unit(workload.layers)},
                          {Capability::counted_states, workload.memory || parallelism.is_sharded()},
                          {Capability::model_buffers, workload.buffers > netmodels::Bytes{}}});
}

/// Facts of an arm that decide how gradients are exchanged, beside its keys.
struct ExchangeFacts {
  bool is_decided = false;   ///< what is sent may be another thing in each step
  bool is_sharded = false;   ///< states are
  bool is_traced = false;    ///< the step is
  bool has_sites = false;    ///< of several workers
  bool has_library = false;  ///< which runs one algorithm of its own for each exchange
  bool has_buffers = false;  ///< that are broadcast
};

bool has_several_stages(const std::string& method) {
  const auto format = kernels::find_wire_format(method);
  return format && (*format)->stages({.elements = 1000, .ratio = 0.1}).size() > 1;
}

/// Whether one of the collectives can carry what the method sends.
bool carries_any(const std::vector<std::string>& collectives, const std::string& method) {
  const auto format = kernels::find_wire_format(method);
  return !format || std::ranges::any_of(collectives, [&](const std::string& name) {
    const auto collective = netmodels::find_collective(name);
    return !collective || kernels::carries((*collective)->kind, **format);
  });
}

bool is_cut_into_chunks(const std::string& collective) {
  const auto row = netmodels::find_collective(collective);
  return row && netmodels::depends_on_chunks(**row);
}

/// Whether an exchange has stages beside the collective that `exchange.collective` names.
bool has_other_stages(const std::string& method, const ExchangeFacts& facts) {
  return has_several_stages(method) || facts.is_sharded || facts.is_traced || facts.has_buffers;
}

/// Whether computing and exchanging may run at the same time.
bool may_overlap(const Exchange& exchange, const std::string& method, const ExchangeFacts& facts) {
  return facts.is_sharded || facts.is_traced || facts.has_sites || facts.is_decided ||
         execution_of(exchange, method, false).overlap;
}

/// Whether one of the collectives to choose from carries what is sent.
bool has_carried_choice(const Exchange& exchange, const std::string& method, const ExchangeFacts& facts) {
  return facts.is_decided || facts.is_sharded || carries_any(exchange.among, method);
}

Capabilities facts_of(const Exchange& exchange, const std::string& method, const ExchangeFacts& facts) {
  const bool is_open = policies::chooses_collective(exchange.collective) || facts.is_decided;
  const bool has_rules = is_open && facts.has_library && !facts.is_decided;
  const bool chooses_chunked = is_open && !has_rules;
  return capabilities_of({{Capability::overlapping, may_overlap(exchange, method, facts)},
                          {Capability::library_choice, is_open || has_other_stages(method, facts)},
                          {Capability::carried_choice, has_carried_choice(exchange, method, facts)},
                          {Capability::collective_choices, is_open},
                          {Capability::open_rules, !has_rules},
                          {Capability::chunked,
                           chooses_chunked || facts.is_sharded || is_cut_into_chunks(exchange.collective)}});
}

/// Caps of a transport for each flow, so that their number counts.
Capabilities facts_of(const FlowCaps& caps) {
  return capabilities_of(
      {{Capability::flow_cap, caps.anywhere}, {Capability::placement_cap, caps.in_placement_group}});
}

Feature offering(std::string path, const Capabilities& offers) {
  const bool is_local = !path.empty();
  return {.path = std::move(path), .label = "", .demands = {.offers = offers}, .is_local = is_local};
}

}  // namespace

const ResolvedFact* find_fact(settings::Capability capability) {
  const auto* found = std::ranges::find(fact_rows, capability, &ResolvedFact::capability);
  return found == fact_rows.end() ? nullptr : found;
}

std::vector<Feature> resolved_features(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  Capabilities run = facts_of(work.workload, work.parallelism);
  run |=
      facts_of(exchange, exchange.compression.method,
               {.is_decided = decided_by_step(exchange.compression),
                .is_sharded = work.parallelism.is_sharded(),
                .is_traced = work.workload.traced != nullptr,
                .has_sites = work.parallelism.site == SiteKind::node,
                .has_library = !library_of(exchange, cluster).empty(),
                .has_buffers = broadcasts_buffers(execution_of(exchange, exchange.compression),
                                                  exchange.synchronisation, work.workload, cluster.workers)});
  std::vector<Feature> found{offering("", run)};
  if (cluster.fabric) found.push_back(offering("cluster.fabric", facts_of(cluster.fabric->caps)));
  if (cluster.inner_fabric)
    found.push_back(offering("cluster.inner_fabric", facts_of(cluster.inner_fabric->caps)));
  return found;
}

}  // namespace sim::scenario
