// Invalid combinations with a learner or a synchronisation, and why.
#include <utility>

#include <fmt/format.h>

#include "learning/models/learning_rate.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// Whether the model has so many fragments.
Result<void> check_fragments(const policies::Streaming& stated, std::size_t layers,
                             const language::Value& tree) {
  if (stated.fragments <= 1 || std::cmp_less_equal(stated.fragments, layers)) return {};
  return language::refuse_at(tree, "synchronisation.fragments",
                             fmt::format("{} fragments of a model of {} layers", stated.fragments, layers),
                             fmt::format("at most {}; a workload described by its layers has more", layers));
}

/// A length of the training in steps; nothing for epochs of a data set of unknown size.
/// @param step  samples of all workers
std::optional<double> in_steps(const Learner& learner, const settings::Moment& length, double step) {
  if (length.unit == settings::Moment::Unit::step) return length.value;
  const auto samples = known_samples(learner.kind);
  if (!samples) return {};
  return length.value * static_cast<double>(*samples) / step;
}

/// The warm-up of the learning rate in steps, with its key and unit; nothing where there is none, or its
/// length in steps is unknown.
struct WarmUp {
  std::string key;
  std::string_view unit;
  double length;  ///< as stated
  double steps;
};

std::optional<WarmUp> warm_up_of(const Learner& learner, double step) {
  using Unit = settings::Moment::Unit;
  const auto* rate = rate_schedule_of(learner.kind);
  if (rate == nullptr) return {};
  const bool by_epoch = rate->warmup_epochs > 0;
  const settings::Moment stated{by_epoch ? Unit::epoch : Unit::step,
                                by_epoch ? rate->warmup_epochs : static_cast<double>(rate->warmup_steps)};
  const std::optional<double> steps = in_steps(learner, stated, step);
  if (!steps || *steps == 0) return {};
  const std::string_view unit = by_epoch ? "epochs" : "steps";
  return WarmUp{fmt::format("learner.rate.warmup_{}", unit), unit, stated.value, *steps};
}

/// Whether the warm-up of the learning rate is over before its decay is.
/// @param step  samples of all workers
Result<void> check_rate(const Learner& learner, double step, const language::Value& tree) {
  const auto warm_up = warm_up_of(learner, step);
  const auto* rate = rate_schedule_of(learner.kind);
  if (!warm_up || !rate->decay) return {};
  const std::optional<double> end = in_steps(learner, rate->decay->until, step);
  if (!end || warm_up->steps < *end) return {};
  const double accepted = *end * warm_up->length / warm_up->steps;
  return language::refuse_at(tree, warm_up->key,
                             fmt::format("the warm-up takes {:g} {}, and the decay is over after {:g}",
                                         warm_up->length, warm_up->unit, accepted),
                             fmt::format("accepted: less than {:g}, the end of the decay", accepted));
}

/// Says that the learning rate is still rising when the run ends.
/// @param step  samples of all workers
std::optional<std::string> warm_up_warning(const Learner& learner, const Training& training, double step,
                                           const language::Value& tree) {
  const auto warm_up = warm_up_of(learner, step);
  if (!warm_up) return {};
  const double run = training.steps ? static_cast<double>(*training.steps)
                                    : training.epochs * static_cast<double>(training.samples) / step;
  if (warm_up->steps <= run * (1 + 1e-9)) return {};
  return fmt::format("{}: the learning rate warms up over {:g} {}, and the run ends after {:g}",
                     place_of(tree, warm_up->key), warm_up->length, warm_up->unit,
                     run * warm_up->length / warm_up->steps);
}

}  // namespace

Result<void> check_synchronisation(const policies::SynchronisationChoice& stated,
                                   const netmodels::Workload& workload, int workers,
                                   const language::Value& tree) {
  if (stated->problem_with != nullptr) {
    const auto problem = stated->problem_with(stated.settings(), workers);
    if (problem)
      return language::refuse_at(tree, "synchronisation." + problem->key, problem->what, problem->hint);
  }
  return check_fragments(streaming_of(stated), workload.layers.size(), tree);
}

Result<void> check_batches(const std::vector<int>& batches, int workers, const language::Value& tree) {
  if (batches.empty() || std::cmp_equal(batches.size(), workers)) return {};
  return language::refuse_at(tree, "training.batches",
                             fmt::format("{} batches are given for {} workers", batches.size(), workers),
                             "give one for each worker");
}

Result<void> check_learner(const Learner& learner, const Training& training, int workers,
                           const language::Value& tree) {
  if (injection_of(learner.kind) != nullptr && !shared_sample(learner.kind)) {
    return netmodels::refuse(place_of(tree, "learner.injection"),
                             "the key `learner.injection.sample_size` is missing",
                             "write what a sample costs the network, for example `sample_size: 3 kB`");
  }
  return check_rate(learner, static_cast<double>(samples_of_step(training, workers)), tree);
}

std::vector<std::string> learner_warnings(const Learner& learner, const Training& training, int workers,
                                          const language::Value& tree) {
  std::vector<std::string> found;
  const auto samples = known_samples(learner.kind);
  if (samples && training.samples != *samples) {
    found.push_back(
        fmt::format("{}: an epoch of this scenario is {} samples, one of its data set {} ({})",
                    place_of(tree, "training.samples"), training.samples, *samples,
                    "the learning rate uses epochs of the data set, changes of the cluster use epochs of "
                    "the scenario"));
  }
  const auto step = static_cast<double>(samples_of_step(training, workers));
  if (auto warning = warm_up_warning(learner, training, step, tree)) found.push_back(std::move(*warning));
  if (samples && step > static_cast<double>(*samples)) {
    found.push_back(fmt::format("{}: a step of all workers takes {:.0f} samples, the data set has {}",
                                place_of(tree, "training.batch"), step, *samples));
  }
  return found;
}

}  // namespace sim::scenario
