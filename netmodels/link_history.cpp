// Reads changes of links as far as an operation gets.
#include "netmodels/link_history.hpp"

#include <algorithm>
#include <limits>

namespace netmodels {

LinkHistory::LinkHistory(const NetworkState& state) : origin_(state.now), upcoming_(state.upcoming) {
  begins_.push_back({});
  states_.push_back(state.links);
}

std::size_t LinkHistory::stretch(Seconds at) {
  while (next_ < upcoming_.size() && upcoming_[next_].at - origin_ <= at) append();
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), at);
  return static_cast<std::size_t>(after - begins_.begin()) - 1;
}

Seconds LinkHistory::end(std::size_t stretch) {
  if (stretch + 1 == begins_.size() && next_ < upcoming_.size()) append();
  return stretch + 1 < begins_.size() ? begins_[stretch + 1]
                                      : Seconds{std::numeric_limits<double>::infinity()};
}

Seconds LinkHistory::arrival(Bytes size, Seconds begin, std::span<const LinkId> route) {
  Seconds now = begin;
  for (std::size_t at = stretch(begin);; ++at) {
    const Bandwidth bandwidth = narrowest(route, links(at));
    const Seconds until = end(at);
    const Seconds needed = time_to_carry(size, bandwidth);
    if (now + needed <= until) return now + needed;
    size -= bandwidth * (until - now);
    now = until;
  }
}

void LinkHistory::append() {
  const Seconds at = upcoming_[next_].at;
  begins_.push_back(at - origin_);
  states_.push_back(states_.back());
  for (; next_ < upcoming_.size() && upcoming_[next_].at == at; ++next_) {
    states_.back()[upcoming_[next_].link] = upcoming_[next_].state;
  }
}

Seconds latency_of(std::span<const LinkId> route, const std::vector<LinkState>& links) {
  Seconds latency;
  for (const LinkId link : route) latency += links[link].latency;
  return latency;
}

Bandwidth narrowest(std::span<const LinkId> route, const std::vector<LinkState>& links) {
  Bandwidth narrow{std::numeric_limits<double>::infinity()};
  for (const LinkId link : route) narrow = std::min(narrow, links[link].bandwidth);
  return narrow;
}

Seconds time_to_carry(Bytes size, Bandwidth bandwidth) {
  return size > Bytes{} ? size / bandwidth : Seconds{};
}

}  // namespace netmodels
