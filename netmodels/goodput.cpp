// Goodput of a node's network interfaces.
#include "netmodels/goodput.hpp"

#include <algorithm>

namespace netmodels {
namespace {

Bandwidth capped(Bandwidth rate, const std::optional<Bandwidth>& cap) {
  return cap ? std::min(rate, *cap) : rate;
}

}  // namespace

Goodput goodput(const GoodputShares& shares, Bandwidth line_rate, const GoodputCaps& caps) {
  const auto usual = [&](double share) { return capped(capped(line_rate * share, caps.node), caps.flows); };
  return {usual(shares.low), usual(shares.mid), capped(line_rate * shares.high, caps.flows)};
}

}  // namespace netmodels
