// Takes the library from the key, the transports, or the described hardware.
#include "sim/scenario/exchange_library.hpp"

#include <fmt/format.h>

#include "netmodels/collective.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

/// A library, and what says so.
struct FoundLibrary {
  std::string_view name;  ///< empty: none
  std::string origin;
};

/// That of the fabric between nodes counts before that of the fabric inside them.
const Fabric* fabric_with_library(const Cluster& cluster) {
  for (const auto* fabric : {&cluster.fabric, &cluster.inner_fabric}) {
    if (*fabric && !(*fabric)->library.empty()) return &**fabric;
  }
  return nullptr;
}

FoundLibrary found_library(const Exchange& exchange, const Cluster& cluster) {
  if (const auto& stated = exchange.library)
    return {*stated == no_library ? "" : std::string_view(*stated), "as `exchange.library` states"};
  if (const Fabric* fabric = fabric_with_library(cluster))
    return {fabric->library, fmt::format("to which the transport `{}` belongs", fabric->transport)};
  if (cluster.nccl) return {"nccl", "whose hardware `cluster.nccl` describes"};
  return {"", "no transport names one"};
}

}  // namespace

std::span<const settings::TableWord> library_words() {
  using enum settings::Capability;
  static const std::vector<settings::TableWord> words = [] {
    std::vector<settings::TableWord> made;
    for (const std::string_view name : netmodels::libraries())
      made.push_back({name, {}, {.needs = {open_collectives}}});
    made.push_back({"rccl", {}, {.needs = {open_collectives, measured_tables}}});
    made.push_back({no_library});
    return made;
  }();
  return words;
}

std::string_view library_of(const Exchange& exchange, const Cluster& cluster) {
  return found_library(exchange, cluster).name;
}

std::string describe_library(const Exchange& exchange, const Cluster& cluster) {
  const FoundLibrary found = found_library(exchange, cluster);
  if (!found.name.empty()) return fmt::format("{}, {}", found.name, found.origin);
  return fmt::format("none, {}: `auto` chooses among all algorithms", found.origin);
}

std::vector<std::string> library_warnings(const Exchange& exchange, const Cluster& cluster,
                                          const language::Value& tree) {
  const auto& outer = cluster.fabric;
  const auto& inner = cluster.inner_fabric;
  if (!outer || !inner || exchange.library) return {};
  if (outer->library.empty() || inner->library.empty() || outer->library == inner->library) return {};
  return {fmt::format(
      "{}: the transport `{}` belongs to {} and `{}` between nodes to {}: collectives are those of {}; "
      "`exchange.library` states another",
      place_of(tree, "cluster.inner_fabric.transport"), inner->transport, inner->library, outer->transport,
      outer->library, outer->library)};
}

}  // namespace sim::scenario
