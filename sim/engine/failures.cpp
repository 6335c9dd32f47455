// Failures of workers and links, turned into who is lost.
#include "sim/engine/failures.hpp"

#include <algorithm>

#include "netmodels/nearest.hpp"

namespace sim::engine {

using netmodels::refuse;
using netmodels::Result;

namespace {

/// The workers that nobody reaches without this link, when they are known.
Result<std::vector<std::uint32_t>> behind_link(const std::string& link, const Platform& platform) {
  std::vector<std::string_view> known;
  for (const PlatformLink& row : platform.links()) {
    known.push_back(row.name);
    if (row.name == link || row.name == link + "_UP" || row.name == link + "_DOWN") {
      return std::vector<std::uint32_t>(row.workers.begin(), row.workers.end());
    }
  }
  const auto close = netmodels::nearest(link, known);
  return refuse("cluster.failures", "there is no link `" + link + "`",
                close ? "did you mean `" + std::string(*close) + "`?" : "`sim explain` prints the links");
}

}  // namespace

Result<FailurePlan> FailurePlan::make(const scenario::Cluster& cluster, const Platform& platform) {
  FailurePlan plan;
  for (const scenario::Failure& failure : cluster.failures) {
    if (failure.worker) {
      plan.breakdowns_.push_back({failure.at, {static_cast<std::uint32_t>(*failure.worker)}, std::nullopt,
                                  "worker " + std::to_string(*failure.worker)});
      continue;
    }
    auto behind = behind_link(*failure.link, platform);
    if (!behind) return tl::unexpected(behind.error());
    Breakdown breakdown{failure.at, {}, failure.until, "link " + *failure.link};
    if (!failure.until) breakdown.lost = std::move(*behind);
    plan.breakdowns_.push_back(std::move(breakdown));
  }
  std::ranges::stable_sort(plan.breakdowns_, {}, &Breakdown::at);
  return plan;
}

std::optional<Breakdown> FailurePlan::next_before(netmodels::Seconds until) {
  if (next_ == breakdowns_.size() || breakdowns_[next_].at >= until) return std::nullopt;
  return breakdowns_[next_++];
}

}  // namespace sim::engine
