// Moments of elastic averaging, and how far workers and centre move.
#include "policies/easgd.hpp"

#include <fmt/format.h>

namespace policies {

Decision Easgd::decide(const SynchronisationObservation& seen) {
  if (seen.step % settings_.every != 0) return Synchronisation::stay_local;
  Decision decision = Synchronisation::average_elastically;
  decision.moving_rate =
      settings_.moving_rate.value_or(moving_rate(static_cast<std::uint32_t>(seen.workers.size())));
  return decision;
}

double Easgd::moving_rate(std::uint32_t workers) {
  constexpr double beta = 0.9;
  return beta / workers;
}

std::optional<settings::Problem> Easgd::Settings::problem_with(int workers) const {
  if (!moving_rate || *moving_rate * workers <= 1) return {};
  return settings::Problem{
      "moving_rate",
      fmt::format("{:g} times {} workers is above 1: the centre would move past their mean", *moving_rate,
                  workers),
      fmt::format("at most 1/workers, {:.3g}", 1.0 / workers)};
}

void describe(settings::Fields& fields, Easgd::Settings& settings) {
  describe_every(fields, settings.every);
  fields.field({.name = "moving_rate",
                .doc = "Moving rate of workers and centre towards each other (alpha); without it, "
                       "0.9/workers.",
                .bounds = settings::above_up_to(0, 1),
                .example = "0.1125"},
               settings.moving_rate);
}

}  // namespace policies
