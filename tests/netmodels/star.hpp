// A free homogeneous star for tests: every rank has its own link in each direction.
#pragma once

#include <memory>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/network.hpp"

namespace netmodels::testing {

/// Links 2r (up) and 2r+1 (down) of each rank r; half of the latency on each.
struct Star {
  std::uint32_t ranks;
  LinkState link;
  std::shared_ptr<std::vector<Route>> known = std::make_shared<std::vector<Route>>();

  [[nodiscard]] NetworkState state() const {
    return {{}, std::vector<LinkState>(2UL * ranks, {link.latency / 2, link.bandwidth}), {}, {}, {}, 0};
  }
  [[nodiscard]] Routes routes() const {
    known->resize(static_cast<std::size_t>(ranks) * ranks);
    return [table = known, count = ranks](std::uint32_t from, std::uint32_t to) -> const Route& {
      Route& route = (*table)[static_cast<std::size_t>(from) * count + to];
      if (route.empty()) route = {2 * from, 2 * to + 1};
      return route;
    };
  }
};

}  // namespace netmodels::testing
