// Compares the changes of each list with each other.
#include "sim/scenario/repeated_changes.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/language/place.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// What both changes set; empty where they differ in their moments, in their targets or in what they set.
std::string_view set_by_both(const LinkChange& one, const LinkChange& other) {
  if (one.at != other.at || one.workers != other.workers || one.links != other.links) return "";
  if (one.bandwidth && other.bandwidth) return "bandwidth";
  return one.latency && other.latency ? "latency" : "";
}

std::string_view set_by_both(const SpeedChange& one, const SpeedChange& other) {
  return one.at == other.at ? "speeds" : "";
}

std::string_view set_by_both(const StreamRateChange& one, const StreamRateChange& other) {
  return one.at == other.at && one.workers == other.workers ? "rates" : "";
}

template <class Change>
Result<void> check_each(const std::vector<Change>& changes, const std::string& list,
                        const language::Value& tree) {
  for (std::size_t later = 1; later < changes.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const std::string_view what = set_by_both(changes[earlier], changes[later]);
      if (what.empty()) continue;
      return language::refuse_at(
          tree, language::item(list, later) + ".at",
          fmt::format("`{}` sets the {} at the same moment", language::item(list, earlier), what),
          "leave one of them out, or state another moment");
    }
  }
  return {};
}

}  // namespace

Result<void> check_repeated_changes(const Cluster& cluster, const Work& work, const language::Value& tree) {
  if (auto checked = check_each(cluster.changes, "cluster.changes", tree); !checked) return checked;
  if (auto checked = check_each(cluster.speed_changes, "cluster.speed_changes", tree); !checked)
    return checked;
  if (!work.streams) return {};
  return check_each(work.streams->changes, "streams.changes", tree);
}

}  // namespace sim::scenario
