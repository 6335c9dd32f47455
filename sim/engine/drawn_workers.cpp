// A partial shuffle by counted random numbers.
#include "sim/engine/drawn_workers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sim/engine/random.hpp"

namespace sim::engine {

std::vector<std::uint32_t> drawn_members(std::vector<std::uint32_t> members, double share, std::uint64_t seed,
                                         std::int64_t step) {
  constexpr double rounding = 1e-9;
  Draw draw(seed, Stream::participants, static_cast<std::uint64_t>(step));
  const auto all = static_cast<double>(members.size());
  const auto count = static_cast<std::size_t>(std::max(1.0, std::ceil(share * all - rounding)));
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<double>(members.size() - i);
    std::swap(members[i], members[i + static_cast<std::size_t>(draw.uniform() * left)]);
  }
  members.resize(count);
  std::ranges::sort(members);
  return members;
}

std::vector<std::uint32_t> drawn_workers(const RoundDraw& draw, const std::vector<std::uint32_t>& present,
                                         std::int64_t step) {
  if (draw.share == 1 || present.empty()) return present;
  std::vector<std::uint32_t> members;
  for (const std::uint32_t worker : present) {
    if (members.empty() || members.back() != worker / draw.site) members.push_back(worker / draw.site);
  }
  const std::vector<std::uint32_t> drawn = drawn_members(std::move(members), draw.share, draw.seed, step);
  std::vector<std::uint32_t> workers;
  std::ranges::copy_if(present, std::back_inserter(workers), [&](std::uint32_t worker) {
    return std::ranges::binary_search(drawn, worker / draw.site);
  });
  return workers;
}

}  // namespace sim::engine
