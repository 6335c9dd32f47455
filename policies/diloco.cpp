// Counting local steps up to the outer one.
#include "policies/diloco.hpp"

#include <fmt/format.h>

namespace policies {

Decision DiLoCo::decide(const SynchronisationObservation& seen) {
  const std::int64_t within = (seen.step + 1) % settings_.every;
  const std::int64_t fragment = (within * settings_.fragments + settings_.every - 1) / settings_.every;
  const bool due =
      fragment < settings_.fragments && fragment * settings_.every / settings_.fragments == within;
  if (!due) return Synchronisation::stay_local;
  Decision decision = Synchronisation::outer_step;
  decision.fragment = fragment;
  decision.outer_rate = settings_.outer_rate;
  decision.outer_momentum = settings_.outer_momentum;
  decision.outer = settings_.outer;
  return decision;
}

void describe(settings::Fields& fields, DiLoCo::Settings& settings) {
  describe_every(fields, settings.every);
  describe_outer_step(fields, settings.outer_rate, settings.outer_momentum, settings.outer);
  fields.field(
      {.name = "fragments",
       .doc = "Parts of the model, of equally many values, that are exchanged one after another within "
              "`every` steps (P, Streaming DiLoCo).",
       .fallback = "1",
       .bounds = settings::between(1, 4096)},
      settings.fragments);
  fields.field({.name = "delay",
                .doc = "Steps that an exchange may overlap before workers need it (tau).",
                .fallback = "0",
                .bounds = settings::between(0, 1e6),
                .demands = {.needs = {settings::Capability::still_network}}},
               settings.delay);
  fields.field(
      {.name = "mixing",
       .doc = "Share of its own values that a worker keeps when an exchanged fragment arrives (alpha); "
              "0.5 in the source of Streaming DiLoCo.",
       .fallback = "0",
       .bounds = settings::from_to_below(0, 1),
       .share = true},
      settings.mixing);
  fields.field({.name = "eager",
                .doc = "Whether a worker takes its own change at once and those of the others one exchange "
                       "late, so that an exchange overlaps the whole following round.",
                .fallback = "false",
                .demands = {.needs = {settings::Capability::still_network},
                            .denies = {settings::Capability::second_round}}},
               settings.eager);
}

namespace {

/// Problem of settings that eager updates do not allow; nothing: none.
std::optional<settings::Problem> problem_of_eager(const DiLoCo::Settings& settings) {
  if (settings.fragments > 1) {
    return settings::Problem{"eager",
                             fmt::format("eager updates are of whole models, and `fragments: {}` exchanges "
                                         "parts of them",
                                         settings.fragments),
                             "leave out one of the two"};
  }
  if (settings.delay > 0) {
    return settings::Problem{
        "eager",
        fmt::format("eager updates overlap a whole round of {} steps, and `delay: {}` states another overlap",
                    settings.every, settings.delay),
        "leave out one of the two"};
  }
  if (settings.mixing == 0) return {};
  return settings::Problem{
      "eager",
      fmt::format("eager updates leave each worker its own change, and `mixing: {:g}` a share of its values",
                  settings.mixing),
      "leave out one of the two"};
}

}  // namespace

std::optional<settings::Problem> problem_of(const DiLoCo::Settings& settings) {
  if (settings.eager) return problem_of_eager(settings);
  if (settings.fragments > settings.every) {
    return settings::Problem{"fragments",
                             fmt::format("{} fragments do not fit into `every: {}` steps, of which each "
                                         "exchanges at most one",
                                         settings.fragments, settings.every),
                             fmt::format("at most {}", settings.every)};
  }
  if (settings.every % settings.fragments != 0) {
    return settings::Problem{"fragments",
                             fmt::format("{} fragments do not divide `every: {}` steps evenly",
                                         settings.fragments, settings.every),
                             "write a divisor of `every`"};
  }
  if (settings.delay < settings.every) return {};
  return settings::Problem{"delay",
                           fmt::format("an exchange that overlaps {} steps ends after the next one of its "
                                       "fragment begins, {} steps later",
                                       settings.delay, settings.every),
                           fmt::format("at most {}", settings.every - 1)};
}

}  // namespace policies
