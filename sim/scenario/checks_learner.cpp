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
Result<void> check_fragments(const Scenario& scenario, const language::Value& tree) {
  const policies::Streaming stated = streaming_of(scenario.synchronisation);
  const auto layers = scenario.workload.layers.size();
  if (stated.fragments <= 1 || std::cmp_less_equal(stated.fragments, layers)) return {};
  return language::refuse_at(tree, "synchronisation.fragments",
                             fmt::format("{} fragments of a model of {} layers", stated.fragments, layers),
                             fmt::format("at most {}; a workload described by its layers has more", layers));
}

double samples_of_step(const Scenario& scenario) {
  double samples = 0;
  for (int worker = 0; worker < scenario.cluster.workers; ++worker)
    samples += batch_of(scenario.training, static_cast<std::uint32_t>(worker));
  return samples;
}

/// A length of the training in steps; nothing for epochs of a data set of unknown size.
std::optional<double> in_steps(const Scenario& scenario, const settings::Moment& length) {
  if (length.unit == settings::Moment::Unit::step) return length.value;
  const auto samples = known_samples(scenario.learner.kind);
  if (!samples) return {};
  return length.value * static_cast<double>(*samples) / samples_of_step(scenario);
}

/// The warm-up of the learning rate in steps, with its key and unit; nothing where there is none, or its
/// length in steps is unknown.
struct WarmUp {
  std::string key;
  std::string_view unit;
  double length;  ///< as stated
  double steps;
};

std::optional<WarmUp> warm_up_of(const Scenario& scenario) {
  using Unit = settings::Moment::Unit;
  const auto* rate = rate_schedule_of(scenario.learner.kind);
  if (rate == nullptr) return {};
  const bool by_epoch = rate->warmup_epochs > 0;
  const settings::Moment stated{by_epoch ? Unit::epoch : Unit::step,
                                by_epoch ? rate->warmup_epochs : static_cast<double>(rate->warmup_steps)};
  const std::optional<double> steps = in_steps(scenario, stated);
  if (!steps || *steps == 0) return {};
  const std::string_view unit = by_epoch ? "epochs" : "steps";
  return WarmUp{fmt::format("learner.rate.warmup_{}", unit), unit, stated.value, *steps};
}

/// Whether the warm-up of the learning rate is over before its decay is.
Result<void> check_rate(const Scenario& scenario, const language::Value& tree) {
  const auto warm_up = warm_up_of(scenario);
  const auto* rate = rate_schedule_of(scenario.learner.kind);
  if (!warm_up || !rate->decay) return {};
  const std::optional<double> end = in_steps(scenario, rate->decay->until);
  if (!end || warm_up->steps < *end) return {};
  const double accepted = *end * warm_up->length / warm_up->steps;
  return language::refuse_at(tree, warm_up->key,
                             fmt::format("the warm-up takes {:g} {}, and the decay is over after {:g}",
                                         warm_up->length, warm_up->unit, accepted),
                             fmt::format("accepted: less than {:g}, the end of the decay", accepted));
}

/// Says that the learning rate is still rising when the run ends.
std::optional<std::string> warm_up_warning(const Scenario& scenario, const language::Value& tree) {
  const auto warm_up = warm_up_of(scenario);
  if (!warm_up) return {};
  const auto& training = scenario.training;
  const double run =
      training.steps ? static_cast<double>(*training.steps)
                     : training.epochs * static_cast<double>(training.samples) / samples_of_step(scenario);
  if (warm_up->steps <= run * (1 + 1e-9)) return {};
  return fmt::format("{}: the learning rate warms up over {:g} {}, and the run ends after {:g}",
                     place_of(tree, warm_up->key), warm_up->length, warm_up->unit,
                     run * warm_up->length / warm_up->steps);
}

}  // namespace

Result<void> check_learner(const Scenario& scenario, const language::Value& tree) {
  const auto& batches = scenario.training.batches;
  if (!batches.empty() && std::cmp_not_equal(batches.size(), scenario.cluster.workers)) {
    return language::refuse_at(
        tree, "training.batches",
        fmt::format("{} batches are given for {} workers", batches.size(), scenario.cluster.workers),
        "give one for each worker");
  }
  const policies::SynchronisationChoice& stated = scenario.synchronisation;
  if (stated->problem_with != nullptr) {
    const auto problem = stated->problem_with(stated.settings(), scenario.cluster.workers);
    if (problem)
      return language::refuse_at(tree, "synchronisation." + problem->key, problem->what, problem->hint);
  }
  if (auto checked = check_fragments(scenario, tree); !checked) return checked;
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  if (injection_of(learner) != nullptr && !shared_sample(learner)) {
    return netmodels::refuse(place_of(tree, "learner.injection"),
                             "the key `learner.injection.sample_size` is missing",
                             "write what a sample costs the network, for example `sample_size: 3 kB`");
  }
  return check_rate(scenario, tree);
}

void settle_learner(Scenario& scenario, const language::Value& tree) {
  const bool stated = language::find_path(tree, "training.samples") != nullptr;
  if (const auto samples = known_samples(scenario.learner.kind); samples && !stated) {
    scenario.training.samples = *samples;
  }
}

std::vector<std::string> learner_warnings(const Scenario& scenario, const language::Value& tree) {
  std::vector<std::string> found;
  const auto samples = known_samples(scenario.learner.kind);
  if (samples && scenario.training.samples != *samples) {
    found.push_back(
        fmt::format("{}: an epoch of this scenario is {} samples, one of its data set {} ({})",
                    place_of(tree, "training.samples"), scenario.training.samples, *samples,
                    "the learning rate uses epochs of the data set, changes of the cluster use epochs of "
                    "the scenario"));
  }
  if (auto warning = warm_up_warning(scenario, tree)) found.push_back(std::move(*warning));
  const double step = samples_of_step(scenario);
  if (samples && step > static_cast<double>(*samples)) {
    found.push_back(fmt::format("{}: a step of all workers takes {:.0f} samples, the data set has {}",
                                place_of(tree, "training.batch"), step, *samples));
  }
  return found;
}

}  // namespace sim::scenario
