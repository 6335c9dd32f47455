// Goodput of a node's network interfaces.
#include "netmodels/goodput.hpp"

#include <algorithm>
#include <limits>

namespace netmodels {
namespace {

Bandwidth capped(Bandwidth rate, const std::optional<Bandwidth>& cap) {
  return cap ? std::min(rate, *cap) : rate;
}

/// Factor by which a rate lies outside of a class; 1 inside.
double distance(const GoodputClass& known, Bandwidth rate) {
  if (known.from && rate < *known.from) return known.from->count / rate.count;
  return known.to && rate > *known.to ? rate.count / known.to->count : 1;
}

}  // namespace

bool GoodputClass::holds(Bandwidth rate, int workers_per_node) const {
  if (one_worker && workers_per_node != 1) return false;
  return (!from || rate >= *from) && (!to || rate <= *to);
}

const GoodputClass* class_at(std::span<const GoodputClass> classes, Bandwidth rate, int workers_per_node) {
  const auto holds = [&](const GoodputClass& known) { return known.holds(rate, workers_per_node); };
  const auto found = std::ranges::find_if(classes, holds);
  return found == classes.end() ? nullptr : &*found;
}

const GoodputClass& nearest_class(std::span<const GoodputClass> classes, Bandwidth rate,
                                  int workers_per_node) {
  if (const GoodputClass* known = class_at(classes, rate, workers_per_node)) return *known;
  const auto away = [&](const GoodputClass& known) {
    if (known.one_worker && workers_per_node != 1) return std::numeric_limits<double>::infinity();
    return distance(known, rate);
  };
  return *std::ranges::min_element(classes, {}, away);
}

Goodput goodput(const GoodputShares& shares, Bandwidth line_rate, const GoodputCaps& caps) {
  const auto usual = [&](double share) { return capped(capped(line_rate * share, caps.node), caps.flows); };
  return {usual(shares.low), usual(shares.mid), capped(line_rate * shares.high, caps.flows)};
}

}  // namespace netmodels
