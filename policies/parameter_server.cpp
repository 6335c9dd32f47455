// The keys of policies with a parameter server.
#include "policies/parameter_server.hpp"

namespace policies {
namespace {

void describe_server(settings::Fields& fields, ServerHost& server, std::optional<double>& push_share) {
  fields.field({.name = "server",
                .doc = "Where the parameter server runs: on its own host, with a link like the workers', "
                       "or on the first worker's host, whose messages then take no time.",
                .fallback = "own"},
               server);
  fields.field(
      {.name = "push_share",
       .doc = "Share of the learning rate for each pushed gradient; without it, 1/workers, so that a "
              "round of pushes is one step.",
       .bounds = settings::above_up_to(0, 1),
       .example = "12.5 %",
       .share = true},
      push_share);
}

}  // namespace

void describe(settings::Fields& fields, Asynchronous& settings) {
  describe_server(fields, settings.server, settings.push_share);
}

void describe(settings::Fields& fields, StaleSynchronous& settings) {
  fields.field({.name = "staleness",
                .doc = "Maximum number of steps by which the fastest worker may be ahead of the slowest.",
                .bounds = settings::between(0, 1e9),
                .example = "10"},
               settings.staleness);
  describe_server(fields, settings.server, settings.push_share);
}

}  // namespace policies
