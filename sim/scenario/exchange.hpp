// The exchange of gradients or models: when, compressed how, by which collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/quantity.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/scenario/compression.hpp"

namespace sim::scenario {

/// What models or changes are exchanged through, in place of a collective.
enum class ThroughKind {
  server,       ///< takes one from each, and gives each the mean
  object_store  ///< keeps one of each, and each fetches those of all others
};

struct Through {
  ThroughKind kind = ThroughKind::server;
  netmodels::LinkState link;  ///< its own; workers' links are those of the cluster

  bool operator==(const Through&) const = default;
};

/// Observation of the network by a policy.
struct Probe {
  netmodels::Seconds interval;
  double noise = 0;         ///< standard deviation of a reading, relative
  netmodels::Seconds cost;  ///< training stalls that long for each probe
  bool oracle = false;      ///< the policy sees the true values at every step
};

/// Exchange of gradients or models: when, compressed how, and by which collective.
struct Exchange {
  std::optional<Through> through;        ///< of models and changes; nothing: a collective
  std::string collective = "auto";       ///< a row of the collectives, or auto
  std::optional<std::string> library;    ///< whose defaults are taken; nothing: of none
  std::optional<std::string> execution;  ///< a row of the execution models; nothing: see execution_of
  std::optional<bool> overlap;           ///< with the backward pass; nothing: as the execution model
  double overlap_slowdown = 0;           ///< extra compute time while both run, a share of it
  std::string overlap_slowdown_origin;   ///< what measured it; empty: stated, or 0 by default
  double overlap_slowdown_most = 0;  ///< that it may be, from 0 on, where it is predicted; 0: not predicted
  std::optional<netmodels::Bytes> first_bucket;  ///< 0: the whole gradient at once; nothing: as the model
  std::optional<netmodels::Bytes> bucket;        ///< likewise
  std::optional<bool> broadcast_buffers;         ///< before the forward pass; nothing: as the model
  int chunks = 16;                               ///< of pipelined collectives, 1 to 4096
  double hysteresis = 0;                         ///< a new collective must be better by this share, in [0, 1)
  std::vector<std::string> among;                ///< for auto: only these, where any of them fits; empty: all
  netmodels::Seconds switch_cost;                ///< training stalls that long when the collective changes
  policies::SynchronisationChoice synchronisation;
  Compression compression;
  Probe probe;
};

}  // namespace sim::scenario
