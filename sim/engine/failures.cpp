// Maps failures of workers and links to the lost workers.
#include "sim/engine/failures.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sim::engine {

using netmodels::refuse;
using netmodels::Result;

namespace {

/// The workers that are unreachable without this link, where they are known.
Result<std::vector<std::uint32_t>> behind_link(const std::string& link, const Platform& platform) {
  GRADSIM_TRY(found, platform.find_links(link));
  const std::vector<int>& workers = platform.links()[found->front()].workers;
  return std::vector<std::uint32_t>(workers.begin(), workers.end());
}

}  // namespace

Result<FailurePlan> FailurePlan::make(const scenario::Cluster& cluster, const Platform& platform) {
  FailurePlan plan;
  for (std::size_t index = 0; index < cluster.failures.size(); ++index) {
    const scenario::Failure& failure = cluster.failures[index];
    if (failure.worker) {
      plan.breakdowns_.push_back({failure.at,
                                  {static_cast<std::uint32_t>(*failure.worker)},
                                  std::nullopt,
                                  "worker " + std::to_string(*failure.worker)});
      continue;
    }
    auto behind = behind_link(*failure.link, platform);
    if (!behind) {
      behind.error().where = fmt::format("cluster.failures[{}].link", index);
      return tl::unexpected(behind.error());
    }
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
