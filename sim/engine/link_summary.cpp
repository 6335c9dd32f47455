// Grouping the link table into runs.
#include <map>

#include <fmt/format.h>

#include "sim/engine/step_simulator.hpp"

namespace sim::engine {
namespace {

/// One link as a person names it.
struct NamedLink {
  std::string name;
  LinkRole role;
  netmodels::LinkState
      stated;  ///< in the terms of the scenario: without a preset's factors, end to end where it is
  bool end_to_end;
  bool duplex;
};

netmodels::LinkState as_stated(const PlatformLink& row, const netmodels::LinkState& state) {
  return {state.latency / row.latency_factor, state.bandwidth / row.bandwidth_factor};
}

bool alike(const netmodels::LinkState& left, const netmodels::LinkState& right) {
  return left.bandwidth == right.bandwidth && left.latency == right.latency;
}

std::string_view words(LinkRole role) {
  switch (role) {
    case LinkRole::worker: return "own";
    case LinkRole::inner: return "inner";
    case LinkRole::trunk: return "shared";
  }
  return "";
}

/// Folds NAME_UP and NAME_DOWN into NAME where they do the same.
std::vector<NamedLink> fold(const std::vector<PlatformLink>& rows,
                            const std::vector<netmodels::LinkState>& states) {
  std::map<std::string, netmodels::LinkId> ids;
  for (netmodels::LinkId id = 0; id < rows.size(); ++id) ids.emplace(rows[id].name, id);
  std::vector<NamedLink> links;
  for (netmodels::LinkId id = 0; id < rows.size(); ++id) {
    const std::string& name = rows[id].name;
    const bool up = name.ends_with("_UP");
    const bool down = name.ends_with("_DOWN");
    const std::string base = name.substr(0, name.size() - (up ? 3 : down ? 5 : 0));
    const auto other = ids.find(base + (up ? "_DOWN" : "_UP"));
    const bool folded = (up || down) && other != ids.end() && alike(states[id], states[other->second]);
    if (folded && other->second < id) continue;
    links.push_back(
        {folded ? base : name, rows[id].role, as_stated(rows[id], states[id]), rows[id].end_to_end, folded});
  }
  return links;
}

}  // namespace

std::vector<std::string> link_summary(const Platform& platform, const netmodels::NetworkState& state) {
  const std::vector<NamedLink> links = fold(platform.links(), state.links);
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < links.size();) {
    std::size_t end = first + 1;
    const auto same = [&](const NamedLink& link) {
      return link.role == links[first].role && link.duplex == links[first].duplex &&
             link.end_to_end == links[first].end_to_end && alike(link.stated, links[first].stated);
    };
    while (end < links.size() && same(links[end])) ++end;
    const std::size_t count = end - first;
    const std::string names =
        count == 1 ? links[first].name : fmt::format("{} ... {}", links[first].name, links[end - 1].name);
    const NamedLink& link = links[first];
    lines.push_back(fmt::format("{} ({} {} link{}{}): {}, {}{}", names, count, words(link.role),
                                count == 1 ? "" : "s", link.duplex ? ", both directions" : "",
                                print(link.stated.bandwidth, 6), print(link.stated.latency, 6),
                                link.end_to_end ? " end to end" : ""));
    first = end;
  }
  return lines;
}

}  // namespace sim::engine
