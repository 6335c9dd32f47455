// The state of a network as plain data: links, their capacity now and at known later times, and routes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels {

using LinkId = std::uint32_t;

/// Change of a link: from `at` on, `link` behaves like `state`.
struct LinkChange {
  Seconds at;
  LinkId link;
  LinkState state;
};

/// A flow of other jobs that shares the links: always busy, as fast as its fair share allows. Traffic at
/// a constant rate is no such flow: it lowers the bandwidth of its links.
struct BackgroundFlow {
  std::uint32_t from;
  std::uint32_t to;

  auto operator<=>(const BackgroundFlow&) const = default;
};

/// Change of the background traffic: from `at` on, exactly these flows run.
struct BackgroundChange {
  Seconds at;
  std::vector<BackgroundFlow> flows;
};

/// Everything an evaluator needs to evaluate a schedule that starts at `now`.
struct NetworkState {
  Seconds now;
  std::vector<LinkState> links;                           ///< links in force now, by LinkId
  std::vector<BackgroundFlow> background;                 ///< flows in force now
  std::span<const LinkChange> upcoming;                   ///< later than now, in order of time
  std::span<const BackgroundChange> upcoming_background;  ///< later than now, in order of time
  std::uint64_t number = 0;  ///< number of the state of `links` and `background`: others have other numbers

  /// The first moment at which anything here changes; infinite when nothing does.
  [[nodiscard]] Seconds horizon() const;
};

/// The links from one rank to another, in order.
using Route = std::vector<LinkId>;

/// Looks up a route; the reference stays valid as long as its owner.
using Routes = std::function<const Route&(std::uint32_t from, std::uint32_t to)>;

/// The cost of a schedule on a network state.
struct Evaluation {
  Seconds duration;
  bool reusable = false;  ///< the same again until the horizon: nothing changed while it ran
};

}  // namespace netmodels
