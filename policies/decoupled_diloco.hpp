// Decoupled DiLoCo: workers step at their own pace, and a server merges the models of those who answer in
// time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policies/outer_optimizer.hpp"
#include "policies/parameter_server.hpp"
#include "settings/choice.hpp"

namespace policies {

/// Host that merges models.
enum class MergingHost : std::uint8_t {
  sharded,       ///< each worker's host merges an equal part of every fragment
  own,           ///< a host of its own, with a link like the workers'
  first_worker,  ///< the first worker's host, whose own messages take no time
};

constexpr auto names_of(MergingHost) {
  return std::to_array<settings::Named<MergingHost>>({{"sharded", MergingHost::sharded},
                                                      {"own", MergingHost::own, own_host_demands},
                                                      {"first_worker", MergingHost::first_worker}});
}

/// How changes become one. With d_w the change that worker w sent, a_w its weight and A the sum of these:
///
///   mean                sum_w a_w d_w / A
///   radial_directional  r u / ||u||,   r = sum_w a_w ||d_w|| / A,   u = sum_w a_w d_w / ||d_w|| / A,
///                       tensor by tensor; the mean where u is 0
///
/// Changes of different workers are nearly orthogonal, so that their mean is the shorter the more there are;
/// the second does not become shorter.
enum class Merging : std::uint8_t { radial_directional, mean };

constexpr auto names_of(Merging) {
  return std::to_array<settings::Named<Merging>>(
      {{"radial_directional", Merging::radial_directional}, {"mean", Merging::mean}});
}

/// Properties of a policy whose server merges models, for the engine.
struct MergingServer {
  MergingHost host = MergingHost::sharded;
  std::int64_t every = 1;      ///< H, steps from one merge of a fragment to its next
  std::int64_t fragments = 1;  ///< P, at least 1, at most H
  std::int64_t quorum = 1;     ///< K, workers whose messages a merge waits for
  std::int64_t overlap = 2;    ///< tau, steps that an exchange may overlap without being waited for
  double grace = 1;            ///< share of the time left of these steps that a merge waits for more workers
  double mixing = 0;           ///< share of its own values that a worker keeps of what is merged, in [0, 1)
  Merging merging = Merging::radial_directional;
  double outer_rate = 0.7;
  double outer_momentum = 0.9;
  OuterOptimizer outer = OuterOptimizer::nesterov;

  bool operator==(const MergingServer&) const = default;
};

/// Workers take local steps and never wait. Merge r (from 1) is of fragment (r - 1) mod P. It begins when K
/// workers that have received the fragment's last merge have made H / P more steps, parts of steps included,
/// since the merge before it began, and no earlier merge of the fragment is still to be made. Each worker
/// that has received the last one then sends its change of the fragment since, as it is after its last whole
/// step; one that has made no step since sends nothing. Once K messages have arrived, the server waits for
/// more during the grace window
///
///   gamma max(0, tau t_step - t_quorum - t_sync)
///
/// with t_step the mean time of the workers' last steps, t_quorum the time that the K took to arrive, and
/// t_sync that in which the last merge reached K workers; later messages are dropped. A change counts with
/// weight (samples)^2 / steps of those since the worker received the fragment, and the merged change is the
/// gradient of an outer step. The server sends the fragment to all who are there, the latest once an earlier
/// one has been received. A worker goes on with it after the step that it is in:
///
///   x = alpha x + (1 - alpha) (the outer fragment)
///
/// Leaves out: embeddings, whose changes the source merges by their mean; fragments that end with tensors.
///
/// Source: Douillard et al., "Decoupled DiLoCo for Resilient Distributed Pre-training", 2026,
///         arXiv:2604.21428 (24 fragments, each every 24 steps, tau 2, quorum 1), by its public
///         implementations; rate and momentum are DiLoCo's.
struct DecoupledDiLoCo {
  MergingServer server;

  bool operator==(const DecoupledDiLoCo&) const = default;
  [[nodiscard]] std::optional<std::int64_t> period() const { return server.every / server.fragments; }
  [[nodiscard]] bool exchanges_models() const { return true; }
  [[nodiscard]] MergingServer merging_server() const { return server; }
  /// A quorum of more than all workers.
  [[nodiscard]] std::optional<settings::Problem> problem_with(int workers) const;
};

void describe(settings::Fields& fields, DecoupledDiLoCo& settings);
/// More fragments than steps between two merges of one.
std::optional<settings::Problem> problem_of(const DecoupledDiLoCo& settings);

}  // namespace policies
