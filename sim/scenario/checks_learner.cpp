// What cannot be combined with a learner or a synchronisation, and why.
#include "sim/scenario/checks_learner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "netmodels/wire_format.hpp"
#include "sim/scenario/fields_learner.hpp"
#include "sim/scenario/fields_synchronisation.hpp"
#include "sim/scenario/place.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bytes;
using netmodels::Result;

/// What is known of a data set without reading it; nothing where it depends on the file.
struct KnownDataset {
  std::optional<std::int64_t> samples;
  std::optional<Bytes> sample;  ///< with its label of one byte
};

KnownDataset known(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::optdigits: return {3823, Bytes{65}};
    case DatasetKind::mnist:
    case DatasetKind::fashion_mnist: return {60000, Bytes{785}};
    case DatasetKind::cifar10: return {50000, Bytes{3073}};
    case DatasetKind::csv:
    case DatasetKind::text: return {};
  }
  return {};
}

bool asynchronous(const Synchronisation& synchronisation) {
  return synchronisation.method == SynchronisationMethod::ssp ||
         synchronisation.method == SynchronisationMethod::asp;
}

Result<void> check_asynchronous(const Scenario& scenario, const Value& tree) {
  const std::string method(name_of(scenario.synchronisation.method));
  if (!scenario.cluster.failures.empty()) {
    return refuse_at(tree, "cluster.failures",
                     "failures are played only where workers wait for each other, not with `" + method + "`",
                     "leave them out, or write `synchronisation: bsp`");
  }
  for (std::size_t i = 0; i < scenario.cluster.background.size(); ++i) {
    if (scenario.cluster.background[i].rate) continue;
    return refuse_at(tree, item("cluster.background", i),
                     "traffic that takes its fair share is not played beside `" + method + "`",
                     "give it a `rate`, or write `synchronisation: bsp`");
  }
  if (scenario.cluster.preset != NetworkPreset::exact) {
    return refuse_at(tree, "cluster.preset", "`" + method + "` is priced without SimGrid's TCP models",
                     "leave it out, or write `synchronisation: bsp`");
  }
  if (scenario.compression.method == "ar_topk") {
    return refuse_at(tree, "compression.method",
                     "AR-Topk shares places among workers that meet, `" + method + "` lets none meet",
                     "write for example `method: topk`");
  }
  if (scenario.exchange.collective != "auto") {
    return refuse_at(tree, "exchange.collective",
                     "`" + method + "` pushes and pulls, no collective carries its messages",
                     "leave it out, or write `synchronisation: bsp`");
  }
  if (scenario.training.weights == Weights::uniform || scenario.learner.evaluate == EvaluatedModel::average) {
    const bool weights = scenario.training.weights == Weights::uniform;
    return refuse_at(tree, weights ? "training.weights" : "learner.evaluate",
                     "there is no mean over workers with `" + method + "`: one server has the model",
                     "leave it out, or write `synchronisation: bsp`");
  }
  if (scenario.evaluator != Evaluator::automatic || scenario.audit > 0) {
    return refuse_at(tree, scenario.audit > 0 ? "audit" : "network",
                     "evaluators price collectives, and `" + method + "` has none: its messages share links",
                     "leave it out, or write `synchronisation: bsp`");
  }
  const bool plain_star =
      scenario.cluster.topology.kind == TopologyKind::star && scenario.cluster.workers_per_node == 1;
  if (scenario.synchronisation.server == ServerHost::own && !plain_star) {
    return refuse_at(tree, "synchronisation",
                     "a parameter server gets a host of its own only on a star with one worker per node",
                     "write `server: first_worker`");
  }
  if (scenario.learner.injection) {
    return refuse_at(tree, "learner.injection",
                     "samples are shared only where workers wait for each other, not with `" + method + "`",
                     "leave it out, or write `synchronisation: bsp`");
  }
  const LearnerKind learner = scenario.learner.kind;
  if (learner == LearnerKind::none || learner == LearnerKind::live) return {};
  return refuse_at(
      tree, "learner",
      fmt::format("a {} learner does not know what `{}` does to accuracy", name_of(learner), method),
      "write `kind: live`, or none");
}

Result<void> check_recording(const Scenario& scenario, const Value& tree) {
  const auto& record = scenario.learner.record;
  if (!record) return {};
  const std::string path = "learner.record";
  if (scenario.synchronisation.method != SynchronisationMethod::bsp || !scenario.training.batches.empty()) {
    return refuse_at(tree, path, "only bulk-synchronous training with batches of one size is recorded",
                     "write `synchronisation: bsp` and no `batches`");
  }
  if (!scenario.cluster.failures.empty()) {
    return refuse_at(tree, path, "a record is of the same workers from beginning to end",
                     "leave out `cluster.failures`");
  }
  for (std::size_t i = 0; i < record->ratios.size(); ++i) {
    if (std::ranges::count(record->ratios, record->ratios[i]) > 1)
      return refuse_at(tree, item(path + ".ratios", i), "the ratio stands here twice",
                       "name each ratio once");
  }
  const auto format = netmodels::find_wire_format(record->method);
  if (!format) return refuse_at(tree, path + ".method", format.error().what, format.error().mend);
  if ((*format)->sparse && record->method != "ar_topk" && record->method != "threshold") return {};
  return refuse_at(tree, path + ".method", "`" + record->method + "` has no gain of its own at a ratio",
                   "write a sparse method such as `topk`");
}

/// SelSync's threshold, and what its averages are of.
Result<void> check_selsync(const Synchronisation& selsync, const Value& tree) {
  if (selsync.threshold.has_value() == selsync.quantile.has_value()) {
    return refuse_at(
        tree, "synchronisation",
        selsync.threshold ? "both `threshold` and `quantile` are given" : "`selsync` has no threshold",
        "write `threshold: 0.2`, or `quantile: 80 %` of the changes that are seen");
  }
  if (selsync.averaged == Averaged::gradients && selsync.average == AverageMoment::before_step) {
    return refuse_at(tree, "synchronisation.average",
                     "only parameters are averaged before or after a step, gradients are the step",
                     "leave it out, or write `averaged: parameters`");
  }
  return {};
}

Result<void> check_elastic(const Scenario& scenario, const Value& tree) {
  const auto& rate = scenario.synchronisation.moving_rate;
  if (rate && *rate * scenario.cluster.workers > 1) {
    return refuse_at(tree, "synchronisation.moving_rate",
                     fmt::format("{:g} times {} workers is above 1: the centre would move past their mean",
                                 *rate, scenario.cluster.workers),
                     fmt::format("at most 1/workers, {:.3g}", 1.0 / scenario.cluster.workers));
  }
  if (scenario.learner.evaluate == EvaluatedModel::average) {
    return refuse_at(tree, "learner.evaluate", "with `easgd` the workers' centre is tested, not their mean",
                     "leave it out");
  }
  return {};
}

Result<void> check_synchronisation(const Scenario& scenario, const Value& tree) {
  const Synchronisation& stated = scenario.synchronisation;
  const bool nobody_learns = scenario.learner.kind == LearnerKind::none;
  if (stated.method == SynchronisationMethod::selsync && nobody_learns) {
    return refuse_at(tree, "synchronisation",
                     "`selsync` decides by gradients, and without a learner nobody computes any",
                     "write a `learner`, for example `learner: live`");
  }
  if (stated.method == SynchronisationMethod::adacomm && nobody_learns) {
    return refuse_at(tree, "synchronisation",
                     "`adacomm` decides by the loss, and without a learner nobody knows any",
                     "write a `learner`, for example `learner: live`");
  }
  if (stated.method == SynchronisationMethod::selsync) return check_selsync(stated, tree);
  if (stated.method == SynchronisationMethod::easgd) return check_elastic(scenario, tree);
  return {};
}

}  // namespace

bool exchanges_models(const Synchronisation& stated) {
  switch (stated.method) {
    case SynchronisationMethod::fedavg:
    case SynchronisationMethod::easgd:
    case SynchronisationMethod::diloco: return true;
    case SynchronisationMethod::periodic:
    case SynchronisationMethod::adacomm:
    case SynchronisationMethod::selsync: return stated.averaged == Averaged::parameters;
    case SynchronisationMethod::bsp:
    case SynchronisationMethod::ssp:
    case SynchronisationMethod::asp: return false;
  }
  return false;
}

std::optional<std::int64_t> known_samples(const Learner& learner) {
  return learner.kind == LearnerKind::live ? known(learner.dataset.kind).samples : std::nullopt;
}

Result<void> check_learner(const Scenario& scenario, const Value& tree) {
  const auto& batches = scenario.training.batches;
  if (!batches.empty() && std::cmp_not_equal(batches.size(), scenario.cluster.workers)) {
    return refuse_at(
        tree, "training.batches",
        fmt::format("{} batches are given for {} workers", batches.size(), scenario.cluster.workers),
        "give one for each worker");
  }
  if (auto checked = check_synchronisation(scenario, tree); !checked) return checked;
  const bool needs_sample_size = scenario.learner.injection && !scenario.learner.injection->sample_size;
  if (needs_sample_size && !known(scenario.learner.dataset.kind).sample) {
    return netmodels::refuse(place_of(tree, "learner.injection"),
                             "the key `learner.injection.sample_size` is missing",
                             "write what a sample costs the network, for example `sample_size: 3 kB`");
  }
  for (std::size_t i = 0; i < scenario.learner.rate.changes.size(); ++i) {
    if (scenario.learner.rate.changes[i].at.unit != Moment::Unit::time) continue;
    return refuse_at(tree, item("learner.rate.changes", i) + ".at",
                     "the learning rate changes at a step or an epoch, not at a time",
                     "write for example `at: epoch 15`");
  }
  if (auto checked = check_recording(scenario, tree); !checked) return checked;
  return asynchronous(scenario.synchronisation) ? check_asynchronous(scenario, tree) : Result<void>{};
}

void settle_learner(Scenario& scenario, const Value& tree) {
  const bool stated = find_path(tree, "training.samples") != nullptr;
  if (const auto samples = known_samples(scenario.learner); samples && !stated) {
    scenario.training.samples = *samples;
  }
  auto& injection = scenario.learner.injection;
  if (injection && !injection->sample_size)
    injection->sample_size = known(scenario.learner.dataset.kind).sample;
}

std::vector<std::string> learner_doubts(const Scenario& scenario, const Value& tree) {
  std::vector<std::string> found;
  const auto samples = known_samples(scenario.learner);
  if (samples && scenario.training.samples != *samples) {
    found.push_back(
        fmt::format("{}: an epoch of this scenario is {} samples, one of its data set {} ({})",
                    place_of(tree, "training.samples"), scenario.training.samples, *samples,
                    "the learning rate follows the data set, changes of the cluster follow the scenario"));
  }
  if (exchanges_models(scenario.synchronisation) && scenario.compression.method != "none") {
    found.push_back(place_of(tree, "compression") +
                    ": `compression` is not used: parameters are averaged, and sent as they are");
  }
  double step = 0;
  for (int worker = 0; worker < scenario.cluster.workers; ++worker)
    step += batch_of(scenario.training, static_cast<std::uint32_t>(worker));
  if (samples && step > static_cast<double>(*samples)) {
    found.push_back(fmt::format("{}: a step of all workers takes {:.0f} samples, the data set has {}",
                                place_of(tree, "training.batch"), step, *samples));
  }
  return found;
}

}  // namespace sim::scenario
