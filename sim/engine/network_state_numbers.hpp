// Numbers of network states: equal states share one, different states never do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "netmodels/network.hpp"

namespace sim::engine {

/// The parts of a network state that evaluators read until its horizon: links and background traffic.
/// Neighbouring links that are equal are stored once, so that a homogeneous cluster takes a few bytes.
class NetworkStateKey {
 public:
  NetworkStateKey(const std::vector<netmodels::LinkState>& links,
                  std::vector<netmodels::BackgroundFlow> background);

  bool operator==(const NetworkStateKey&) const = default;
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Memory taken.
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// Compared bit by bit.
  struct EqualLinks {
    std::uint64_t bandwidth;
    std::uint64_t latency;
    std::uint64_t count;

    bool operator==(const EqualLinks&) const = default;
  };

  std::uint64_t hash_;  ///< of the others
  std::vector<EqualLinks> links_;
  std::vector<netmodels::BackgroundFlow> background_;
};

/// Whole states with their numbers: at most 4096 that take at most 32 MiB together. The hash only says where
/// to look: a state is found where all of it is equal.
class NumberedStates {
 public:
  using Hash = std::uint64_t (*)(const NetworkStateKey&);

  explicit NumberedStates(Hash hash = [](const NetworkStateKey& key) { return key.hash(); })
      : numbers_(0, KeyHash{hash}) {}

  [[nodiscard]] std::optional<std::uint64_t> find(const NetworkStateKey& key) const;
  /// Forgets all others where there are too many.
  /// @returns whether the others were kept
  bool insert(NetworkStateKey key, std::uint64_t number);

 private:
  struct KeyHash {
    Hash hash;
    std::size_t operator()(const NetworkStateKey& key) const { return hash(key); }
  };

  std::unordered_map<NetworkStateKey, std::uint64_t, KeyHash> numbers_;
  std::size_t bytes_ = 0;  ///< of all keys
};

/// Numbers for all runs on one cluster, from 1 up; none is given to two states, even after it was forgotten.
class ClusterStateNumbers {
 public:
  explicit ClusterStateNumbers(NumberedStates known = NumberedStates()) : known_(std::move(known)) {}

  std::uint64_t new_number() { return ++last_; }
  /// The number of a state that is equal and not forgotten; else a new one.
  std::uint64_t number(const NetworkStateKey& key);

 private:
  NumberedStates known_;
  std::uint64_t last_ = 0;
};

/// Numbers for one run. Which states of the run get equal numbers does not depend on other runs: what this
/// run has forgotten gets a new number even where the cluster still knows it.
class RunStateNumbers {
 public:
  /// @param cluster  outlives this
  explicit RunStateNumbers(ClusterStateNumbers& cluster, NumberedStates known = NumberedStates())
      : cluster_(&cluster), known_(std::move(known)) {}

  std::uint64_t number(NetworkStateKey key);

 private:
  ClusterStateNumbers* cluster_;
  NumberedStates known_;
  bool has_forgotten_ = false;
};

}  // namespace sim::engine
