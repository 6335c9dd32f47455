// Whether the collective fits the method, and the names to choose from.
#include "sim/scenario/checks_exchange.hpp"

#include <string>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "policies/exchange_row.hpp"
#include "sim/scenario/checks_compression.hpp"
#include "sim/scenario/place.hpp"

namespace sim::scenario {
namespace {

using netmodels::CollectiveKind;
using netmodels::Result;

/// Whether the collective can carry what the wire format sends. AR-Topk is a broadcast and an all-reduce, so
/// that it takes an operation of its own kind, or a plain all-reduce for its second part.
bool carries(CollectiveKind collective, CollectiveKind format) {
  return collective == format ||
         (format == CollectiveKind::ar_topk && collective == CollectiveKind::all_reduce);
}

/// The names of the collectives to choose from.
Result<void> check_among(const Exchange& exchange, const Value& tree) {
  if (!exchange.among.empty() && !policies::chooses_collective(exchange.collective)) {
    return refuse_at(tree, "exchange.among", "`" + exchange.collective + "` leaves nothing to choose",
                     "write `collective: auto`, or leave out `among`");
  }
  for (std::size_t i = 0; i < exchange.among.size(); ++i) {
    const auto known = netmodels::find_collective(exchange.among[i]);
    if (!known) return refuse_at(tree, item("exchange.among", i), known.error().what, known.error().hint);
  }
  return {};
}

}  // namespace

Result<void> check_exchange(const Scenario& scenario, const Value& tree) {
  const Compression& compression = scenario.compression;
  const auto format = kernels::find_wire_format(compression.method);
  if (!format) return refuse_at(tree, "compression.method", format.error().what, format.error().hint);
  if (auto checked = check_compression(scenario, tree); !checked) return checked;
  if (auto checked = check_among(scenario.exchange, tree); !checked) return checked;
  if (policies::chooses_collective(scenario.exchange.collective)) return {};
  const auto collective = netmodels::find_collective(scenario.exchange.collective);
  if (!collective)
    return refuse_at(tree, "exchange.collective", collective.error().what,
                     collective.error().hint + "; or `auto`");
  if ((*collective)->kind == CollectiveKind::ar_topk && compression.index_bytes != 4) {
    return refuse_at(
        tree, "exchange.collective",
        "`" + scenario.exchange.collective + "` counts indices of 4 bytes, `compression.index_bytes` is 8",
        "choose an all-reduce such as `ring_allreduce`, before which the indices are broadcast");
  }
  const bool may_change = compression.policy->traits.decides;  // then what fits is chosen
  if (may_change || carries((*collective)->kind, (*format)->exchange)) return {};
  std::string fitting = "auto";
  for (const netmodels::Collective& row : netmodels::collectives()) {
    if (carries(row.kind, (*format)->exchange)) fitting += ", " + std::string(row.name);
  }
  return refuse_at(tree, "exchange.collective",
                   "`" + scenario.exchange.collective + "` cannot carry what the method `" +
                       compression.method + "` sends",
                   "accepted with this method: " + fitting);
}

}  // namespace sim::scenario
