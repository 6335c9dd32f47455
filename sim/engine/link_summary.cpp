// Grouping the link table into runs.
#include "sim/engine/link_summary.hpp"

#include <fmt/format.h>

#include <map>

namespace sim::engine {
namespace {

/// One link as a person names it.
struct NamedLink {
  std::string name;
  LinkRole role;
  netmodels::LinkState state;
  bool duplex;
};

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
std::vector<NamedLink> fold(const std::vector<PlatformLink>& rows, const std::vector<netmodels::LinkState>& states) {
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
    links.push_back({folded ? base : name, rows[id].role, states[id], folded});
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
      return link.role == links[first].role && link.duplex == links[first].duplex && alike(link.state, links[first].state);
    };
    while (end < links.size() && same(links[end])) ++end;
    const std::size_t count = end - first;
    const std::string names = count == 1 ? links[first].name : fmt::format("{} ... {}", links[first].name, links[end - 1].name);
    lines.push_back(fmt::format("{} ({} {} link{}{}): {}, {}", names, count, words(links[first].role), count == 1 ? "" : "s",
                                links[first].duplex ? ", both directions" : "", print(links[first].state.bandwidth, 6),
                                print(links[first].state.latency, 6)));
    first = end;
  }
  return lines;
}

}  // namespace sim::engine
