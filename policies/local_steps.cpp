// Local SGD and FedAvg: when workers exchange.
#include "policies/local_steps.hpp"

#include <cmath>

namespace policies {

// The settings of local SGD.

void describe(settings::Fields& fields, Periodic::Settings& settings) {
  describe_every(fields, settings.every);
  describe_averaged(fields, settings.averaged);
}

// Counting rounds of so many epochs.

Decision FedAvg::decide(const SynchronisationObservation& seen) {
  constexpr double rounding = 1e-9;
  const double reached = std::floor(seen.epoch / settings_.every_epochs + rounding);
  const bool is_retaken = exchanged_at_ == seen.step;  // after a failure it ends as before
  if (reached <= rounds_ && !is_retaken) return Synchronisation::stay_local;
  if (!is_retaken) rounds_ = reached;
  exchanged_at_ = seen.step;
  if (settings_.participants == 1) return Synchronisation::average_parameters;
  Decision decision = Synchronisation::average_sampled;
  decision.participants = settings_.participants;
  return decision;
}

void describe(settings::Fields& fields, FedAvg::Settings& settings) {
  fields.field(
      {.name = "participants",
       .doc = "Share of the workers that take part in a mean, drawn for each exchange (C). Only they are "
              "charged for sending and receiving: the collective is among them. The others take the "
              "mean, too, and are not charged.",
       .fallback = "100 %",
       .bounds = settings::above_up_to(0, 1),
       .share = true},
      settings.participants);
  fields.field({.name = "every_epochs",
                .doc = "Number of epochs between two exchanges (E).",
                .bounds = settings::above_up_to(0, 1e6),
                .example = "0.25"},
               settings.every_epochs);
}

}  // namespace policies
