// Comparing whole network states, found by their hash.
#include "sim/engine/network_state_numbers.hpp"

#include <bit>
#include <utility>

namespace sim::engine {
namespace {

constexpr std::size_t most_states = 4096;  // as many as results of an operation: see CostEvaluator
constexpr std::size_t most_state_bytes = std::size_t{32} << 20;

/// The finaliser of splitmix64 over each word: bandwidths that differ by powers of two differ in few high
/// bits, which a plain product never spreads downwards.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) + 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31U);
}

}  // namespace

NetworkStateKey::NetworkStateKey(const std::vector<netmodels::LinkState>& links,
                                 std::vector<netmodels::BackgroundFlow> background)
    : hash_(0xcbf29ce484222325ULL), background_(std::move(background)) {
  EqualLinks last{0, 0, 0};
  for (const netmodels::LinkState& link : links) {
    const auto bandwidth = std::bit_cast<std::uint64_t>(link.bandwidth.count);
    const auto latency = std::bit_cast<std::uint64_t>(link.latency.count);
    if (last.count > 0 && last.bandwidth == bandwidth && last.latency == latency) {
      ++last.count;
      continue;
    }
    if (last.count > 0) links_.push_back(last);
    last = {bandwidth, latency, 1};
  }
  if (last.count > 0) links_.push_back(last);
  for (const EqualLinks& equal : links_)
    hash_ = mix(hash_, equal.bandwidth + std::rotl(equal.latency, 32) + equal.count);
  for (const netmodels::BackgroundFlow& flow : background_)
    hash_ = mix(hash_, (std::uint64_t{flow.from} << 32U) | flow.to);
}

std::size_t NetworkStateKey::bytes() const {
  return sizeof(*this) + links_.capacity() * sizeof(EqualLinks) +
         background_.capacity() * sizeof(netmodels::BackgroundFlow);
}

std::optional<std::uint64_t> NumberedStates::find(const NetworkStateKey& key) const {
  const auto found = numbers_.find(key);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

bool NumberedStates::insert(NetworkStateKey key, std::uint64_t number) {
  const std::size_t bytes = key.bytes();
  const bool keeps = numbers_.size() < most_states && bytes_ + bytes <= most_state_bytes;
  if (!keeps) {
    numbers_.clear();
    bytes_ = 0;
  }
  if (numbers_.try_emplace(std::move(key), number).second) bytes_ += bytes;
  return keeps;
}

std::uint64_t ClusterStateNumbers::number(const NetworkStateKey& key) {
  if (const auto known = known_.find(key)) return *known;
  const std::uint64_t number = new_number();
  known_.insert(key, number);
  return number;
}

std::uint64_t RunStateNumbers::number(NetworkStateKey key) {
  if (const auto known = known_.find(key)) return *known;
  const std::uint64_t number = has_forgotten_ ? cluster_->new_number() : cluster_->number(key);
  if (!known_.insert(std::move(key), number)) has_forgotten_ = true;
  return number;
}

}  // namespace sim::engine
