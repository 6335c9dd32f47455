// Checks of what is to be measured over NCCL.
#include "calibrate/probes/nccl_plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"

namespace calibrate::probes {
namespace {

constexpr std::array<std::string_view, 6> names{
    "all_reduce",      "all_gather", "reduce_scatter", "broadcast", "topk_all_gather_messages",
    "ar_topk_messages"};

}  // namespace

using netmodels::refuse;
using netmodels::Result;

std::string_view to_string(NcclWay way) {
  return way == NcclWay::devices ? "one device per rank"
                                 : "ranks share a device, each with a private copy of the library";
}

std::span<const std::string_view> nccl_operations() { return names; }

Result<void> check(const NcclPlan& plan) {
  constexpr int most_ranks = 64;
  if (plan.ranks < 2 || plan.ranks > most_ranks)
    return refuse("--ranks", fmt::format("{} ranks", plan.ranks),
                  fmt::format("accepted: 2 to {}", most_ranks));
  if (!(plan.ratio > 0 && plan.ratio <= 1))
    return refuse("--ratio", fmt::format("the ratio {}", plan.ratio), "accepted: above 0, at most 1");
  if (plan.operations.empty() || plan.sizes.empty())
    return refuse("--operations", "nothing is to be measured", "name operations and sizes");
  for (const std::string& name : plan.operations) {
    if (std::ranges::find(names, name) == names.end())
      return refuse("--operations", "there is no operation `" + name + "`",
                    netmodels::accepted_names(name, names));
  }
  const bool rises = std::ranges::adjacent_find(plan.sizes, std::greater_equal<>()) == plan.sizes.end();
  if (!rises || plan.sizes.front() <= netmodels::Bytes{})
    return refuse("--sizes", "sizes do not rise from above 0", "write for example 4KiB..64MiB");
  return {};
}

}  // namespace calibrate::probes
