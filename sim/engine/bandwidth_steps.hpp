// One step of several arms at any bandwidth of the links between nodes.
#pragma once

#include <map>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Time per sample of all workers together, in the first step without jitter, by the time that compressing
/// takes.
struct StepRange {
  netmodels::Seconds least;    ///< if compressing takes the least time that is possible
  netmodels::Seconds assumed;  ///< the same three times where the time of compressing is certain
  netmodels::Seconds most;     ///< infinite where no longest time of compressing is known
};

/// Whether there is one step that all others are like on a network that does not change, and its time depends
/// on `cluster.link` or on the interfaces of NCCL's nodes: more than one node or a pipeline, links that
/// follow from it, and no measured collectives in its place.
bool depends_on_bandwidth(const scenario::Work& work, const scenario::Cluster& cluster,
                          const scenario::Exchange& exchange);

/// Simulates steps of arms on a network without changes, traces and failures, whose links between nodes have
/// the bandwidth that is asked for, with the links of single workers in proportion; latencies and links
/// inside nodes stay as they are. Where NCCL's hardware is described, its interfaces carry that bandwidth
/// together.
class StepsByBandwidth {
 public:
  /// @param arms      in one world, each of which `depends_on_bandwidth`
  /// @param clusters  must outlive this; it holds another cluster afterwards
  StepsByBandwidth(const std::vector<const scenario::Scenario*>& arms, ClusterCache& clusters);

  /// @returns one entry for each arm, in order, kept for the next call; or the Error of `explain`
  netmodels::Result<std::vector<StepRange>> at(netmodels::Bandwidth bandwidth);

  /// All entries that were asked for, by bytes per second.
  [[nodiscard]] const std::map<double, std::vector<StepRange>>& known() const { return known_; }

  /// Of the links of the first arm.
  [[nodiscard]] netmodels::Bandwidth stated() const { return stated_; }
  /// Line rate of a node's interfaces together, where NCCL's hardware is described; else infinite.
  [[nodiscard]] netmodels::Bandwidth most() const { return most_; }

 private:
  std::vector<scenario::Scenario> arms_;
  netmodels::Bandwidth stated_;
  netmodels::Bandwidth most_;
  ClusterCache& clusters_;
  std::map<double, std::vector<StepRange>> known_;  ///< times by bytes per second
};

}  // namespace sim::engine
