// Local SGD and FedAvg: when workers exchange.
#include "policies/local_steps.hpp"

#include <algorithm>
#include <cmath>

namespace policies {

// The settings of local SGD.

void describe(settings::Fields& fields, Periodic::Settings& settings) {
  describe_every(fields, settings.every);
  describe_averaged(fields, settings.averaged);
}

// Counting rounds of `every_epochs` epochs.

Decision FedAvg::decide(const SynchronisationObservation& seen) {
  constexpr double rounding = 1e-9;
  if (seen.step != step_) {  // else it is taken again, after a failure
    const bool cut = !of_round_.empty() && !seen.workers.empty() && exchanged_at_ != step_;
    step_ = seen.step;
    epoch_before_ = epoch_;
    own_before_ = own_;
    const bool others = std::ranges::none_of(seen.workers, [&](std::uint32_t worker) {
      return std::ranges::find(of_round_, worker) != of_round_.end();
    });
    if (cut && others) own_before_ = rounds_ * settings_.every_epochs;  // all of a round were lost
    of_round_.assign(seen.workers.begin(), seen.workers.end());
  }
  const auto taking_part = static_cast<double>(seen.workers.size());
  const double share = seen.present == 0 ? 1 : taking_part / static_cast<double>(seen.present);
  epoch_ = seen.epoch;
  own_ = own_before_ + (epoch_ - epoch_before_) / share;
  const double reached = std::floor(own_ / settings_.every_epochs + rounding);
  const bool is_retaken = exchanged_at_ == seen.step;  // after a failure it ends as before
  if (reached <= rounds_ && !is_retaken) return Synchronisation::stay_local;
  if (!is_retaken) rounds_ = reached;
  exchanged_at_ = seen.step;
  return Synchronisation::average_parameters;
}

void describe(settings::Fields& fields, FedAvg::Settings& settings) {
  fields.field(
      {.name = "participants",
       .doc =
           "Share of the workers that is drawn for each round, at its start (C). Only they train, send and "
           "receive, and only their samples count: the collective is among them. The others rest, and "
           "begin with the mean when they are drawn; how it comes to them takes no time.",
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
