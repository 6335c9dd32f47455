// Invalid combinations with a learner or a synchronisation, and why.
#include <utility>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "learning/models/learning_rate.hpp"
#include "learning/models/optimizer.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

Result<void> check_asynchronous(const Scenario& scenario, const language::Value& tree) {
  const std::string method(scenario.synchronisation.name());
  const bool merges = merging_server_of(scenario.synchronisation).has_value();
  if (!scenario.cluster.failures.empty()) {
    return language::refuse_at(tree, "cluster.failures",
                               "failures need synchronous workers, not `" + method + "`",
                               merges ? "write a worker that fails as one of `cluster.absences`, for example "
                                        "`absences: [{worker: 1, from: 2 min}]`"
                                      : "leave them out, or write `synchronisation: bsp`");
  }
  for (std::size_t i = 0; i < scenario.cluster.background.size(); ++i) {
    if (scenario.cluster.background[i].rate) continue;
    return language::refuse_at(
        tree, language::item("cluster.background", i),
        "fair-share (adaptive) background traffic is not supported with `" + method + "`",
        "give it a `rate`, or write `synchronisation: bsp`");
  }
  if (scenario.cluster.preset != NetworkPreset::exact) {
    return language::refuse_at(tree, "cluster.preset",
                               "`" + method + "` is evaluated without SimGrid's TCP models",
                               "leave it out, or write `synchronisation: bsp`");
  }
  if (scenario.compression.method == "ar_topk") {
    return language::refuse_at(tree, "compression.method",
                               "AR-Topk needs a synchronous exchange; `" + method + "` has none",
                               "write for example `method: topk`");
  }
  if (!policies::chooses_collective(scenario.exchange.collective)) {
    return language::refuse_at(tree, "exchange.collective",
                               "`" + method +
                                   (merges ? "` sends models to a server, by no collective"
                                           : "` uses push and pull messages, no collective"),
                               "leave it out, or write `synchronisation: bsp`");
  }
  if (scenario.training.weights == Weights::uniform || tests_average(scenario.learner.kind)) {
    const bool weights = scenario.training.weights == Weights::uniform;
    return language::refuse_at(tree, weights ? "training.weights" : "learner.evaluate",
                               "no mean over workers exists with `" + method + "`: one server " +
                                   (merges ? "merges their models, by their samples" : "holds the model"),
                               "leave it out, or write `synchronisation: bsp`");
  }
  if (!merges && tests_worker(scenario.learner.kind)) {
    return language::refuse_at(tree, "learner.evaluate",
                               "with `" + method + "` the server has the model, of which workers pull copies",
                               "write `evaluate: method`, which tests the server's model, or leave it out");
  }
  if (scenario.evaluator != Evaluator::automatic || scenario.audit > 0) {
    return language::refuse_at(
        tree, scenario.audit > 0 ? "audit" : "network",
        "evaluators apply to collectives; `" + method + "` uses none: its messages share links",
        "leave it out, or write `synchronisation: bsp`");
  }
  const bool plain_star =
      scenario.cluster.topology->traits.one_switch && scenario.cluster.workers_per_node == 1;
  if (adds_a_host(scenario.synchronisation) && !plain_star) {
    return language::refuse_at(
        tree, "synchronisation",
        "a parameter server can have its own host only on a star with one worker per node",
        merges ? "write `server: sharded`" : "write `server: first_worker`");
  }
  if (injection_of(scenario.learner.kind) != nullptr) {
    return language::refuse_at(tree, "learner.injection",
                               "sharing samples needs synchronous workers, not `" + method + "`",
                               "leave it out, or write `synchronisation: bsp`");
  }
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  if (!learner->traits.learns || learner->traits.trains) return {};
  return language::refuse_at(
      tree, "learner",
      fmt::format("a {} learner does not model the effect of `{}` on accuracy", learner.name(), method),
      "write `kind: live`, or none");
}

Result<void> check_recording(const Scenario& scenario, const language::Value& tree) {
  if (!records(scenario.learner.kind)) return {};
  const std::string path = "learner.record";
  if (!scenario.synchronisation->traits.every_step || !scenario.training.batches.empty()) {
    return language::refuse_at(tree, path,
                               "only bulk-synchronous training with a uniform batch size can be recorded",
                               "write `synchronisation: bsp` and no `batches`");
  }
  if (scenario.cluster.failures.empty()) return {};
  return language::refuse_at(tree, path, "a record needs the same workers during the whole training",
                             "leave out `cluster.failures`");
}

/// Whether there is a residual that could decay, and nobody records it as one that does not.
Result<void> check_decay(const Scenario& scenario, const language::Value& tree) {
  if (scenario.learner.residual_decay == 1) return {};
  const std::string path = "learner.residual_decay";
  if (!scenario.learner.error_feedback)
    return language::refuse_at(tree, path, "`error_feedback: false` keeps nothing that could decay",
                               "leave out one of the two");
  if (!records(scenario.learner.kind)) return {};
  return language::refuse_at(tree, path, "recorded gains are those of a residual that does not decay",
                             "leave it out, or leave out `record`");
}

/// An optimizer whose workers send momenta: whole gradients in a dense warm-up, then what is coded twice.
Result<void> check_momenta(const Scenario& scenario, const language::Value& tree) {
  const auto* optimizer = optimizer_of(scenario.learner.kind);
  if (optimizer == nullptr || !optimizer->method->sends_momentum()) return {};
  const std::string name(optimizer->method.name());
  const Compression& compression = scenario.compression;
  const std::string sends = "`" + name + "` sends compressed momenta after a dense warm-up";
  const std::string example =
      "write `compression: {method: onebit_adam, warm_up: {shape: dense, steps: 200}}`";
  if (!scenario.synchronisation->traits.every_step) {
    return language::refuse_at(tree, "synchronisation",
                               fmt::format("`{}` needs an exchange in every step; `{}` has local steps", name,
                                           scenario.synchronisation.name()),
                               "write `synchronisation: bsp`");
  }
  if (compression.method == "none" && !compression.policy->traits.decides) {
    return language::refuse_at(tree, "learner.optimizer", sends + ", and nothing is compressed",
                               example + ", or an optimizer such as `adam`");
  }
  if (compression.policy->traits.decides || !(*kernels::find_wire_format(compression.method))->recoded) {
    const bool policy = compression.policy->traits.decides;
    return language::refuse_at(
        tree, policy ? "compression.policy" : "compression.method",
        fmt::format("{}, whose sums are coded again; those of `{}` are not", sends,
                    policy ? std::string(compression.policy.name()) : compression.method),
        example);
  }
  if (!compression.warm_up.is_dense()) {
    return language::refuse_at(tree, "compression", sends + ", in which the variance is found; it has none",
                               example);
  }
  if (!records(scenario.learner.kind)) return {};
  return language::refuse_at(tree, "learner.record",
                             "recorded gains are those of gradients; `" + name + "` sends momenta",
                             "leave it out, or write for example `method: adam`");
}

/// The methods whose steps are those of an optimizer that accumulates momenta, as `synchronisation` in a
/// hint.
std::string methods_of_momenta() {
  std::string names;
  for (const policies::SynchronisationRow& row : policies::synchronisations())
    if (row.traits.of_momenta) names += fmt::format("{}`{}`", names.empty() ? "" : " or ", row.name);
  return names;
}

/// The optimizers that accumulate momenta.
std::string optimizers_of_momenta() {
  std::string names;
  for (const learning::models::OptimizerRow& row : learning::models::optimizers())
    if (row.accumulates_momentum()) names += fmt::format("{}`{}`", names.empty() ? "" : " or ", row.name);
  return names;
}

/// Steps with compressed gradients or momenta, and an optimizer that takes them: neither does without the
/// other.
Result<void> check_accumulated_momenta(const Scenario& scenario, const language::Value& tree) {
  const policies::SynchronisationChoice& stated = scenario.synchronisation;
  const auto* optimizer = optimizer_of(scenario.learner.kind);
  const bool takes = optimizer != nullptr && optimizer->method->accumulates_momentum();
  if (takes && !stated->traits.of_momenta) {
    return language::refuse_at(
        tree, "learner.optimizer",
        fmt::format("`{}` takes the steps of the method {}, not of `{}`", optimizer->method.name(),
                    methods_of_momenta(), stated.name()),
        fmt::format("write {} as `synchronisation.method`, or an optimizer such as `adam`",
                    methods_of_momenta()));
  }
  if (!stated->traits.of_momenta) return {};
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  if (learner->traits.learns && !takes) {
    return language::refuse_at(
        tree, "synchronisation",
        fmt::format("`{}` exchanges what the optimizer {} accumulates{}", stated.name(),
                    optimizers_of_momenta(),
                    optimizer == nullptr ? fmt::format("; a {} learner has no such optimizer", learner.name())
                                         : fmt::format(", not `{}`", optimizer->method.name())),
        optimizer == nullptr
            ? fmt::format("write {} as `learner.optimizer.method` with `learner.kind: live`, or no learner",
                          optimizers_of_momenta())
            : fmt::format("write {} as `learner.optimizer.method`", optimizers_of_momenta()));
  }
  const Compression& compression = scenario.compression;
  const std::string sends = fmt::format("`{}` sends compressed gradients and momenta", stated.name());
  const std::string example = "write `compression: {method: onebit_adam}`";
  if (compression.method == "none" && !compression.policy->traits.decides)
    return language::refuse_at(tree, "synchronisation", sends + ", and nothing is compressed", example);
  if ((*kernels::find_wire_format(compression.method))->recoded) return {};
  return language::refuse_at(
      tree, "compression.method",
      fmt::format("{}, whose sums are coded again; those of `{}` are not", sends, compression.method),
      example);
}

/// Whether the model has so many fragments, and the network stays while their exchanges overlap steps.
Result<void> check_streaming(const Scenario& scenario, const language::Value& tree) {
  const policies::Streaming stated = streaming_of(scenario.synchronisation);
  const auto layers = scenario.workload.layers.size();
  if (stated.fragments > 1 && std::cmp_greater(stated.fragments, layers)) {
    return language::refuse_at(
        tree, "synchronisation.fragments",
        fmt::format("{} fragments of a model of {} layers", stated.fragments, layers),
        fmt::format("at most {}; a workload described by its layers has more", layers));
  }
  const Cluster& cluster = scenario.cluster;
  const bool stays = cluster.changes.empty() && cluster.traces.empty() && cluster.background.empty() &&
                     cluster.failures.empty() && !cluster.workers_come_and_go();
  if (stated.delay == 0 || stays) return {};
  return language::refuse_at(
      tree, overlap_key(stated),
      "exchanges that overlap later steps are evaluated on a network that stays as it is; this "
      "cluster has changes, traces, background traffic, failures or workers that leave",
      fmt::format("write `{}`, or leave those out", stated.eager ? "eager: false" : "delay: 0"));
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

/// Whether the policy's inputs are available, and whether its settings fit the cluster.
Result<void> check_synchronisation(const Scenario& scenario, const language::Value& tree) {
  const policies::SynchronisationChoice& stated = scenario.synchronisation;
  const policies::SynchronisationTraits& traits = stated->traits;
  const bool by_loss = traits.looks == policies::Looks::loss;
  if (traits.looks == policies::Looks::learning_rate && !scenario.learner.kind->traits.trains) {
    return language::refuse_at(tree, "synchronisation",
                               fmt::format("`{}` needs the learning rate of each step", stated.name()),
                               "add `learner: live`");
  }
  if (traits.looks == policies::Looks::models && !scenario.learner.kind->traits.trains) {
    return language::refuse_at(tree, "synchronisation",
                               fmt::format("`{}` needs the models of the workers", stated.name()),
                               "add `learner: live`");
  }
  if (traits.looks != policies::Looks::nothing && !scenario.learner.kind->traits.learns) {
    return language::refuse_at(
        tree, "synchronisation",
        fmt::format("`{}` needs {}", stated.name(), by_loss ? "the loss" : "gradients"),
        "add a `learner`, for example `learner: live`");
  }
  if (stated->problem_with != nullptr) {
    const auto problem = stated->problem_with(stated.settings(), scenario.cluster.workers);
    if (problem)
      return language::refuse_at(tree, "synchronisation." + problem->key, problem->what, problem->hint);
  }
  if (auto checked = check_streaming(scenario, tree); !checked) return checked;
  const bool worker = tests_worker(scenario.learner.kind);
  if (!traits.tests_centre || (!worker && !tests_average(scenario.learner.kind))) return {};
  return language::refuse_at(tree, "learner.evaluate",
                             fmt::format("with `{}` the centre model is tested, not {}", stated.name(),
                                         worker ? "a worker's" : "the workers' mean"),
                             "leave it out");
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
  if (auto checked = check_synchronisation(scenario, tree); !checked) return checked;
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  if (injection_of(learner) != nullptr && !shared_sample(learner)) {
    return netmodels::refuse(place_of(tree, "learner.injection"),
                             "the key `learner.injection.sample_size` is missing",
                             "write what a sample costs the network, for example `sample_size: 3 kB`");
  }
  if (auto checked = check_rate(scenario, tree); !checked) return checked;
  if (auto checked = check_decay(scenario, tree); !checked) return checked;
  if (auto checked = check_momenta(scenario, tree); !checked) return checked;
  if (auto checked = check_accumulated_momenta(scenario, tree); !checked) return checked;
  if (auto checked = check_recording(scenario, tree); !checked) return checked;
  return is_asynchronous(scenario.synchronisation) ? check_asynchronous(scenario, tree) : Result<void>{};
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
