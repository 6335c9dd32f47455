// A scenario as the engine receives it: checked values, no text, no positions left.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/key.hpp"
#include "sim/scenario/availability.hpp"
#include "sim/scenario/cluster.hpp"
#include "sim/scenario/exchange.hpp"
#include "sim/scenario/learner.hpp"
#include "sim/scenario/moments.hpp"
#include "sim/scenario/rent.hpp"
#include "sim/scenario/simulation.hpp"
#include "sim/scenario/uncertain_input.hpp"
#include "sim/scenario/work.hpp"

namespace sim::scenario {

/// A key of a part of the run that may turn out to be idle, as the file states it.
struct StatedKey {
  std::string key;    ///< "compression"
  std::string place;  ///< file:line:column
};

/// Keys that are stated, and that a run may not use.
inline constexpr std::array<std::string_view, 5> keys_that_may_idle{"compression", "synchronisation",
                                                                    "exchange", "batching", "audit"};

/// Everything one arm needs.
struct Scenario {
  std::string name;
  Work work;
  Cluster cluster;  ///< of replicas on several GPUs: the data-parallel group of one of them
  std::shared_ptr<const Stated> stated = std::make_shared<const Stated>();  ///< never null
  Exchange exchange;
  Learner learner;
  std::optional<Availability> availability = {};    ///< of whole runs; nothing: nothing fails unless stated
  std::optional<MachineRent> price = {};            ///< price of each machine; nothing: runs have no cost
  std::optional<RentedMachines> rented = {};        ///< follows from `price`
  StudyObjective objective = StudyObjective::time;  ///< the same in all arms
  Simulation simulation;
  std::vector<StatedMoment> moments = {};  ///< moments of which only the run shows whether it has them
  std::vector<StatedKey> may_idle = {};    ///< stated keys of `keys_that_may_idle`
};

/// How a published figure was used.
enum class FigureRole {
  predicted,  ///< nothing of the scenario was taken from it
  fitted,     ///< a value of the scenario was chosen so that ours meets it
  input,      ///< a value of the scenario is this figure
};

constexpr auto names_of(FigureRole) {
  return std::to_array<settings::Named<FigureRole>>(
      {{"predicted", FigureRole::predicted}, {"fitted", FigureRole::fitted}, {"input", FigureRole::input}});
}

/// A published or measured figure that a result is compared with.
struct Expectation {
  std::string arm;
  std::string metric;                ///< a row of `metrics`
  std::optional<std::string> of;     ///< the whole of a share, where the metric asks for it
  std::optional<std::string> over;   ///< the figure is divided by that of this arm: a plain number
  std::optional<std::string> phase;  ///< nothing: the whole run
  std::optional<double> value;       ///< base units; nothing where only a bound was published
  std::optional<double> within;      ///< relative; nothing: shown, not judged
  std::optional<double> at_least;    ///< base units
  std::optional<double> at_most;     ///< base units
  FigureRole role = FigureRole::predicted;
  bool judged = true;                 ///< false: bounds are shown, but do not count
  std::optional<std::string> reason;  ///< why it is not judged
  std::string source;
  std::string where;  ///< file:line:column
};

/// A bound on the mean of |ours - theirs| / theirs over the expectations of all arms that match.
struct MeanErrorBound {
  std::string arms;  ///< a pattern; `*` matches any text
  std::string metric;
  double within = 0;
  std::string where;
};

/// For each combination of the other axes: the arm with the smallest figure must be the same in ours and
/// theirs.
struct BestAlongAxis {
  std::string axis;  ///< a name under `axes`
  std::string metric;
  int at_least = 0;  ///< combinations in which it must be right
  std::string where;
};

/// One file: the question, the arms to compare, and published figures.
struct Study {
  std::string question;        ///< the comment on line 1
  std::vector<Scenario> arms;  ///< at least one; `name` is the arm
  std::vector<std::string>
      axes;  ///< when the arms are a product: names of the axes; arm names are joined by `/`
  std::vector<Expectation> expectations;
  std::vector<MeanErrorBound> mean_errors;
  std::vector<BestAlongAxis> best_along;
  std::vector<std::string> warnings;      ///< warnings
  std::vector<UncertainInput> uncertain;  ///< quantities that are stated with a range
};

}  // namespace sim::scenario
