// The rows of the planners.
#include <array>

#include <fmt/core.h>

#include "policies/bayesian_planner.hpp"
#include "policies/goodput.hpp"
#include "policies/planner_row.hpp"
#include "policies/profile_design.hpp"
#include "policies/scavenger.hpp"

namespace policies {
namespace {

/// The members of a policy's settings set further facts of its row.
template <class Policy, class S>
consteval PlannerRow planner_row(const settings::Row& facts) {
  PlannerRow made{facts};
  made.settings = &settings::owned<S>;
  made.make = [](const void* settings, const PlanningQuestion& question) -> std::unique_ptr<PlanningPolicy> {
    return std::make_unique<Policy>(*static_cast<const S*>(settings), question);
  };
  if constexpr (requires(const S& s) { s.stored_jobs(); })
    made.stored_jobs = [](const void* settings) { return static_cast<const S*>(settings)->stored_jobs(); };
  if constexpr (requires(const S& s) { s.variant(); })
    made.variant = [](const void* settings) { return static_cast<const S*>(settings)->variant(); };
  return made;
}

constexpr std::array planner_rows{
    planner_row<Scavenger, Scavenger::Settings>(
        {"scavenger", "profiles some clusters and batches, fits epochs and step time, predicts the others",
         "Tyagi & Sharma, CCGrid 2023", "scavenger"}),
    planner_row<ProfileAll, settings::None>(
        {"grid", "profiles every cluster and batch and uses the profiles directly", "", "grid"}),
    planner_row<BayesianPlanner, BayesianPlanner::Settings>(
        {"bayesian", "a Gaussian process profiles next where it expects to gain most (CherryPick)",
         "Alipourfard et al., NSDI 2017", "bayesian"}),
    planner_row<Goodput, settings::None>(
        {"goodput", "throughput times statistical efficiency (Pollux)", "Qiao et al., OSDI 2021", "goodput"}),
};

}  // namespace

std::span<const PlannerRow> planners() { return planner_rows; }

void describe(settings::Fields& fields, PlannerChoice& choice) {
  choice.describe_choice(
      fields,
      {.name = "method",
       .doc = "How configurations are explored and predicted: a row of `sim list policies`.",
       .fallback = "scavenger"},
      planners(), settings::Layout::beside);
}

std::span<const std::string> stored_jobs(const PlannerChoice& choice) {
  return choice->stored_jobs == nullptr ? std::span<const std::string>()
                                        : choice->stored_jobs(choice.settings());
}

std::string label_of(const PlannerChoice& choice) {
  if (choice->variant == nullptr) return std::string(choice.name());
  return fmt::format("{} ({})", choice.name(), choice->variant(choice.settings()));
}

}  // namespace policies
