// The synchronisation role: exchange at the end of this step, or stay local?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "policies/outer_optimizer.hpp"
#include "policies/relative_change.hpp"
#include "settings/choice.hpp"

namespace policies {

/// Everything that a synchronisation policy may see, before the workers take their step.
struct SynchronisationObservation {
  std::int64_t step = 0;                   ///< from 0
  std::span<const std::uint32_t> workers;  ///< participating workers
  std::span<const double> squared_norms;   ///< ||g||^2 of each of them; empty where no gradients are computed
  std::optional<double> loss = {};         ///< mean over their batches, where it is known
  double epoch = 0;                        ///< epoch that is reached with this step
  /// Learning rate of this step, or, while it rises in a warm-up, that at the warm-up's end; where it is
  /// known.
  std::optional<double> warmed_up_rate = {};
  /// ||x - r||^2 of each worker's model before this step, r the model that all had last; empty where models
  /// are not trained, or the policy does not look at them.
  std::span<const double> squared_drifts = {};
  std::optional<MeasuredChange> measured_change = {};  ///< change in this step, where one was recorded
  bool last = false;                                   ///< no step follows
  std::size_t present = 0;  ///< workers of which these were drawn for a round; 0: as many as these
};

/// How a step ends; all are those who take part in it.
enum class Synchronisation {
  stay_local,           ///< each worker takes its own step
  average_gradients,    ///< all take the same step
  average_parameters,   ///< each takes its own step, then all take the mean of their parameters
  average_before_step,  ///< all take the mean of their parameters, then each takes its own step
  average_elastically,  ///< each moves towards a centre, and the centre towards all; each takes its own step
  outer_step,           ///< each takes its own step, then all take the centre, moved by what they changed
  average_momenta,  ///< each takes its own step, then all take the step of the mean of the momenta that each
                    ///< has accumulated since the last one
};

/// Models that are exchanged in fragments, while later steps run.
struct Streaming {
  std::int64_t fragments = 1;  ///< P, of equally many values, at least 1
  std::int64_t delay = 0;      ///< tau: steps that an exchange overlaps
  double mixing = 0;           ///< alpha: share of a worker's own fragment that it keeps, in [0, 1)
  bool eager = false;          ///< each takes its own change at once; the delay is that of the others'

  bool operator==(const Streaming&) const = default;
};

/// How a step ends, with the data that this needs.
struct Decision {
  Synchronisation kind;
  double moving_rate = 0;                           ///< average_elastically: alpha
  double outer_rate = 1;                            ///< outer_step: learning rate
  double outer_momentum = 0;                        ///< outer_step: momentum
  OuterOptimizer outer = OuterOptimizer::nesterov;  ///< outer_step: what is done with both
  std::int64_t fragment = 0;                        ///< outer_step: of the model, from 0
  /// average_gradients: whole gradients, beside what compression keeps from earlier steps, which stays.
  bool dense = false;

  constexpr explicit(false) Decision(Synchronisation ending) : kind(ending) {}
  constexpr explicit(false) operator Synchronisation() const { return kind; }
};

/// One way in which steps of a policy end, for people.
struct StepKind {
  Decision decision;
  std::string_view text;  ///< name of these steps, as the end of a line
  std::int64_t first;     ///< the first step that ends so, from 0
};

/// Decides in each step. Holds its own memory and nothing else: no clock, no randomness; a copy forks a
/// what-if.
class SynchronisationPolicy {
 public:
  virtual ~SynchronisationPolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<SynchronisationPolicy> copy() const = 0;
  virtual Decision decide(const SynchronisationObservation& seen) = 0;
};

/// The values that workers average when they exchange.
enum class Averaged : std::uint8_t { parameters, gradients };

/// Demands of methods that exchange models in all exchanges.
inline constexpr settings::Demands models_demands{.denies = {settings::Capability::gradient_exchange},
                                                  .offers = {settings::Capability::model_exchange}};

constexpr auto names_of(Averaged) {
  return std::to_array<settings::Named<Averaged>>(
      {{"parameters", Averaged::parameters, models_demands},
       {"gradients", Averaged::gradients, {.offers = {settings::Capability::bucketed_gradients}}}});
}

constexpr Synchronisation exchange_of(Averaged averaged) {
  return averaged == Averaged::parameters ? Synchronisation::average_parameters
                                          : Synchronisation::average_gradients;
}

/// The key `averaged`, of policies that can average either.
void describe_averaged(settings::Fields& fields, Averaged& averaged);

/// The key `every`, of policies that exchange in every H-th step.
void describe_every(settings::Fields& fields, std::int64_t& every,
                    std::string_view doc = "Number of steps between two exchanges.");

}  // namespace policies
