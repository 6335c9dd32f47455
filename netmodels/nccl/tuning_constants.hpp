// The constants of NCCL's cost table, by version: rates in GB/s of 10^9 bytes, latencies in us, as NCCL has
// them. Read were 2.18 to 2.29 without 2.24, among them 2.20.3 (as 2.19), 2.22.3 (as 2.21) and 2.25.1
// (as 2.26); 2.24 is taken as 2.25.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "netmodels/nccl/hardware.hpp"

namespace netmodels::nccl {

/// Values for LL, LL128 and Simple.
using ByProtocol = std::array<double, 3>;
/// Values on one node, on two, on more.
using ByNodes = std::array<double, 3>;

enum class Hop : std::uint8_t { nvlink, pcie, network };

/// Index of a GPU generation in tuning.cc: Volta and older, Ampere, Hopper, Blackwell.
constexpr std::size_t generation_of(int capability) {
  if (capability >= 100) return 3;
  if (capability >= 90) return 2;
  return capability >= 80 ? 1 : 0;
}

/// baseLat. Tree Simple was 0 until 2.22; NVLS 23 in 2.18. Source: tuning.cc 2.18 to 2.29.
constexpr double base_latency(Algorithm algorithm, Protocol protocol, int minor) {
  constexpr ByProtocol tree{6.8, 14, 8.4};
  constexpr ByProtocol ring{6.6, 14, 8.4};
  const auto p = static_cast<std::size_t>(protocol);
  const bool simple = protocol == Protocol::simple;
  switch (algorithm) {
    case Algorithm::tree: return simple && minor < 23 ? 0 : tree.at(p);
    case Algorithm::ring: return ring.at(p);
    case Algorithm::pat: return 8;
    case Algorithm::nvls:
    case Algorithm::nvls_tree: break;
  }
  return simple && minor < 19 ? 23 : 0;
}

/// hwLat of trees. Simple was 28 from 2.19 to 2.22. Source: tuning.cc 2.18 to 2.29.
constexpr double tree_hop(Hop hop, Protocol protocol, int minor) {
  constexpr std::array<ByProtocol, 3> latest{{{.6, 1.25, 4}, {1, 1.9, 4}, {5, 8.5, 14}}};
  const bool chunk_latency = protocol == Protocol::simple && minor >= 19 && minor < 23;
  if (chunk_latency) return 28;
  if (protocol == Protocol::simple && hop == Hop::pcie && minor < 19) return 6;
  return latest.at(static_cast<std::size_t>(hop)).at(static_cast<std::size_t>(protocol));
}

/// hwLat of rings, the same in 2.18 to 2.29. Source: tuning.cc.
constexpr double ring_hop(Hop hop, Protocol protocol) {
  constexpr std::array<ByProtocol, 3> hops{{{.6, 1.9, 3.4}, {1, 2.5, 5.7}, {2.7, 4, 14}}};
  return hops.at(static_cast<std::size_t>(hop)).at(static_cast<std::size_t>(protocol));
}

/// hwLat of NVLS, NVLS trees and PAT, which run Simple only. Source: tuning.cc 2.18 to 2.29.
constexpr double switch_hop(Hop hop, Algorithm algorithm, int minor) {
  if (algorithm == Algorithm::pat) return hop == Hop::network ? 14 : 4;
  if (hop == Hop::pcie) return 0;
  if (hop == Hop::nvlink) return minor >= 21 ? 25 : minor >= 19 ? 23 : 0;
  if (algorithm == Algorithm::nvls) return 18;
  return minor >= 28 ? 20.9 : minor >= 19 ? 14 : 19;
}

/// hwLat of a hop.
constexpr double hop_latency(Hop hop, Algorithm algorithm, Protocol protocol, int minor) {
  if (algorithm == Algorithm::tree) return tree_hop(hop, protocol, minor);
  if (algorithm == Algorithm::ring) return ring_hop(hop, protocol);
  return switch_hop(hop, algorithm, minor);
}

/// llMaxBws: what LL reaches at most, by GPU generation on one node, else by processor. Source: tuning.cc.
constexpr double most_ll(int capability, Processor cpu, int nodes, int minor) {
  constexpr std::array<double, 4> one_node{39, 87.7, 141, 282};
  const bool amd = cpu == Processor::amd;
  if (nodes == 1) return minor < 21 && capability >= 90 ? 87.7 : one_node.at(generation_of(capability));
  if (nodes == 2) return amd ? 22.5 : 39;
  return amd ? 19 : 20.4;
}

/// perChMaxRingLL128Bws. 2.28 and 2.29 differ on Blackwell. Source: tuning.cc 2.18 to 2.29.
constexpr double most_ring_ll128(int capability, int nodes, int minor) {
  constexpr std::array<double, 4> channel{20, 20, 36.7, 73.4};
  if (capability >= 100 && minor >= 29) return 40;
  if (capability >= 100 && minor >= 28) return nodes == 2 ? 34.6 : 40;
  return channel.at(generation_of(capability));
}

/// perChMaxTreeLL128Bws and perChMaxTreeBws. Source: tuning.cc 2.18 to 2.29.
constexpr double most_tree(Protocol protocol, int capability, int nodes, int minor) {
  constexpr std::array<ByNodes, 4> ll128{{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {73.4, 73.4, 58}}};
  constexpr std::array<ByNodes, 4> all{
      {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {77.4, 82.8, 72}}};
  constexpr ByNodes ll128_since_28{55.6, 31.67, 20};
  constexpr ByNodes all_since_28{70, 42.8, 24};
  const std::size_t n = nodes <= 2 ? static_cast<std::size_t>(nodes - 1) : 2;
  const bool is_ll128 = protocol == Protocol::LL128;
  if (capability >= 100 && minor >= 28) return (is_ll128 ? ll128_since_28 : all_since_28).at(n);
  return (is_ll128 ? ll128 : all).at(generation_of(capability)).at(n);
}

/// Limits of NVLS from 2.28 on: the share of the links that it reaches, and the rate that a channel of NVLS
/// trees reaches at most on two and on more nodes. Source: tuning.cc 2.28, 2.29.
struct SwitchLimits {
  double efficiency;
  double channel_two_nodes;
  double channel_more_nodes;
};
constexpr SwitchLimits switch_limits(int capability) {
  return capability >= 100 ? SwitchLimits{.74, 96, 43.8} : SwitchLimits{.85, 57.7, 45.5};
}

/// treeCorrectionFactor: on a tree's bandwidth by log2(size / 64 B). Source: tuning.cc 2.18 to 2.29.
constexpr std::array<std::array<double, 23>, 3> tree_correction_factors{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

}  // namespace netmodels::nccl
