// The keys of Decoupled DiLoCo.
#include "policies/decoupled_diloco.hpp"

#include <fmt/format.h>

#include "policies/synchronisation_policy.hpp"

namespace policies {

std::optional<settings::Problem> DecoupledDiLoCo::problem_with(int workers) const {
  if (server.quorum <= workers) return {};
  return settings::Problem{
      "quorum", fmt::format("a merge would wait for {} workers, and there are {}", server.quorum, workers),
      fmt::format("at most {}", workers)};
}

void describe(settings::Fields& fields, DecoupledDiLoCo& settings) {
  MergingServer& server = settings.server;
  describe_every(fields, server.every, "Number of steps between two merges of a fragment (H).");
  fields.field({.name = "fragments",
                .doc = "Parts of the model, of equally many values, that are merged one after another within "
                       "`every` steps (P).",
                .fallback = "1",
                .bounds = settings::between(1, 4096)},
               server.fragments);
  fields.field({.name = "quorum",
                .doc = "Number of workers whose messages a merge waits for (K).",
                .fallback = "1",
                .bounds = settings::between(1, 1e6)},
               server.quorum);
  fields.field(
      {.name = "overlap",
       .doc = "Steps that an exchange may overlap; what is left of their time when the quorum is there "
              "is for other workers (tau).",
       .fallback = "2",
       .bounds = settings::between(0, 1e6)},
      server.overlap);
  fields.field({.name = "grace",
                .doc = "Share of the time left that a merge waits for workers beyond the quorum (gamma).",
                .fallback = "1",
                .bounds = settings::between(0, 1),
                .share = true},
               server.grace);
  fields.field(
      {.name = "mixing",
       .doc = "Share of its own values that a worker keeps when a merged fragment arrives (alpha); with 0 "
              "it loses what it did to them since it sent its change.",
       .fallback = "0",
       .bounds = settings::from_to_below(0, 1),
       .share = true},
      server.mixing);
  fields.field({.name = "merging",
                .doc = "How changes become one: lengths and directions averaged apart, or their mean.",
                .fallback = "radial_directional"},
               server.merging);
  describe_outer_step(fields, server.outer_rate, server.outer_momentum, server.outer);
  fields.field(
      {.name = "server",
       .doc = "Where models are merged: an equal part of each fragment on every worker's host, all on "
              "a host with a link like the workers', or all on the first worker's host.",
       .fallback = "sharded"},
      server.host);
}

std::optional<settings::Problem> problem_of(const DecoupledDiLoCo& settings) {
  const MergingServer& server = settings.server;
  if (server.fragments <= server.every) return {};
  return settings::Problem{
      "fragments",
      fmt::format("{} fragments do not fit into `every: {}` steps: at most one merge begins per step",
                  server.fragments, server.every),
      fmt::format("at most {}", server.every)};
}

}  // namespace policies
