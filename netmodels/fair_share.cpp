// Progressive filling.
#include "netmodels/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace netmodels {
namespace {

/// A link with flows that still rise.
struct Filling {
  double left;                     // bytes/s
  std::size_t rising = 0;          // flows, each as often as it crosses the link
  std::vector<std::size_t> flows;  // flows that cross it, likewise
};

/// The links that are used, and where to find them.
struct Fillings {
  std::vector<Filling> used;       // links in the order of their first use
  std::vector<std::size_t> place;  // index in `used`, by LinkId

  Filling& of(LinkId link) { return used[place[link]]; }
};

Fillings used_links(std::span<const Route* const> routes, std::span<const LinkState> links) {
  constexpr std::size_t unused = std::numeric_limits<std::size_t>::max();
  Fillings fillings{{}, std::vector<std::size_t>(links.size(), unused)};
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    for (const LinkId link : *routes[flow]) {
      if (fillings.place[link] == unused) {
        fillings.place[link] = fillings.used.size();
        fillings.used.push_back({links[link].bandwidth.count, 0, {}});
      }
      ++fillings.of(link).rising;
      fillings.of(link).flows.push_back(flow);
    }
  }
  return fillings;
}

}  // namespace

std::vector<Bandwidth> fair_rates(std::span<const Route* const> routes, std::span<const LinkState> links) {
  Fillings fillings = used_links(routes, links);
  std::vector<Bandwidth> rates(routes.size(), Bandwidth{std::numeric_limits<double>::infinity()});
  const auto share = [](const Filling& filling) {
    return filling.rising == 0 ? std::numeric_limits<double>::infinity()
                               : filling.left / static_cast<double>(filling.rising);
  };
  const auto settled = [&](std::size_t flow) { return std::isfinite(rates[flow].count); };
  while (true) {
    const auto tightest = std::ranges::min_element(fillings.used, {}, share);
    if (tightest == fillings.used.end() || tightest->rising == 0) return rates;
    const double rate = std::max(0.0, share(*tightest));
    for (const std::size_t flow : tightest->flows) {
      if (settled(flow)) continue;
      rates[flow] = Bandwidth{rate};
      for (const LinkId link : *routes[flow]) {
        Filling& filling = fillings.of(link);
        filling.left -= rate;
        --filling.rising;
      }
    }
  }
}

}  // namespace netmodels
