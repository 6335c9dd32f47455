// Names and numbers looked up in the link table.
#include <algorithm>

#include <fmt/format.h>

#include "sim/engine/network_timeline.hpp"

namespace sim::engine {

using netmodels::LinkId;
using netmodels::Result;

namespace {

template <class Wanted>
std::vector<LinkId> links_where(const Platform& platform, const Wanted& wanted) {
  std::vector<LinkId> found;
  for (LinkId id = 0; id < platform.links().size(); ++id) {
    if (wanted(platform.links()[id])) found.push_back(id);
  }
  return found;
}

std::vector<LinkId> default_links(const Platform& platform) {
  const auto own =
      links_where(platform, [](const PlatformLink& row) { return row.role == LinkRole::worker; });
  return own.empty() ? links_where(platform, [](const PlatformLink&) { return true; }) : own;
}

}  // namespace

Result<std::vector<LinkId>> link_targets(const Platform& platform, const std::vector<int>& workers,
                                         const std::vector<std::string>& names, const std::string& key) {
  std::vector<LinkId> found;
  for (std::size_t index = 0; index < names.size(); ++index) {
    auto links = platform.find_links(names[index]);
    if (!links) {
      links.error().where = fmt::format("{}.links[{}]", key, index);
      return links;
    }
    found.insert(found.end(), links->begin(), links->end());
  }
  for (const int worker : workers) {
    const auto own = links_where(platform, [&](const PlatformLink& row) {
      return row.role == LinkRole::worker && std::ranges::find(row.workers, worker) != row.workers.end();
    });
    if (own.empty()) {
      return netmodels::refuse(key + ".workers",
                               fmt::format("worker {} has no own link in this topology", worker),
                               "name links instead: `sim explain` prints them");
    }
    found.insert(found.end(), own.begin(), own.end());
  }
  return names.empty() && workers.empty() ? default_links(platform) : found;
}

}  // namespace sim::engine
