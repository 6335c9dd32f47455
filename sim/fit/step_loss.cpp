// Simulated steps: of one worker, of all, with other networks, with other settings.
#include "sim/fit/step_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/engine/simulate.hpp"
#include "sim/fit/step_cases.hpp"
#include "sim/fit/step_unknowns.hpp"
#include "sim/report/update_kind.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::fit {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;
using scenario::Scenario;
using scenario::tie;

/// A step as it is simulated first, without jitter; of a round of local steps the mean.
struct SimulatedStep {
  Seconds duration;
  netmodels::Parts parts;
  Seconds latency;  ///< latency of the exposed exchange, by its share of all exchanges
  bool is_at_least = false;
};

/// The share of exchanges that is latency.
double latency_share(const engine::ExplainedStep& step) {
  Seconds latency, all;
  for (const engine::ExplainedExchange& exchange : step.exchanges) {
    latency += exchange.latency_share;
    all += exchange.duration;
  }
  return all > Seconds{} ? std::min(latency / all, 1.0) : 0;
}

/// Whether compressing may take longer than was simulated.
bool may_take_longer(const engine::ExplainedStep& step) {
  if (!step.dependence) return false;
  const bool has_longest = step.dependence->cost.most.has_value();
  return !has_longest || step.dependence->points.back().step > step.step.duration * (1 + tie);
}

Result<SimulatedStep> simulated_step(const Scenario& arm, engine::ClusterCache& clusters) {
  GRADSIM_TRY(steps, engine::explain(arm, clusters, {.compression_worth = false, .dependence = true}));
  const engine::ExplainedStep& first = steps->front();
  SimulatedStep step{first.step.duration, first.step.parts, {}, may_take_longer(first)};
  if (first.round) {
    const double count = static_cast<double>(first.round->steps);
    const double local = count - 1;
    step.duration = first.round->whole / count;
    step.parts.compute = (step.parts.compute + first.round->local * local) / count;
    step.parts.compress = step.parts.compress / count;
    step.parts.wait = step.parts.wait / count;
    step.parts.stream_wait = step.parts.stream_wait / count;
    step.parts.exchange =
        step.duration - step.parts.compute - step.parts.compress - step.parts.wait - step.parts.stream_wait;
  }
  step.latency = step.parts.exchange * latency_share(first);
  return step;
}

int samples_of(const scenario::Work& work, const scenario::Cluster& cluster) {
  return static_cast<int>(samples_of_step(work.training, cluster.workers));
}

void scale(netmodels::LinearTime& time, double factor) {
  time = {time.fixed * factor, time.per_sample * factor};
}

report::UpdateKind update_kind_of(const scenario::Work& work, const scenario::Exchange& exchange) {
  return report::update_kind(exchange.synchronisation, exchange.compression, work.parallelism);
}

/// Lets all computing but the host's take so many times as long.
void scale_computing(Scenario& arm, double factor) {
  for (netmodels::Layer& layer : arm.work.workload.layers) {
    scale(layer.forward, factor);
    scale(layer.backward, factor);
  }
  arm.work.workload.optimizer = arm.work.workload.optimizer * factor;
}

/// Row of the goodput of the arm's network; null where it has none that holds for all workers and all the
/// time.
const UnknownRow* goodput_row(const Scenario& arm) {
  const scenario::Cluster& cluster = arm.cluster;
  if (!cluster.traces.empty() || !cluster.worker_links.empty() || !cluster.measured.empty()) return nullptr;
  for (const UnknownRow& row : unknown_rows()) {
    if (row.kind == scenario::StepUnknown::goodput && row.applies(arm)) return &row;
  }
  return nullptr;
}

/// Settings that may make a step shorter, those that change least of the training first.
std::vector<std::vector<std::string>> changes_of(const scenario::Work& work) {
  std::vector<std::vector<std::string>> all{{"exchange.overlap=true"},
                                            {"exchange.collective=auto"},
                                            {"exchange.bucket=100 MiB"},
                                            {"exchange.bucket=5 MiB"}};
  if (work.parallelism.is_sharded()) {
    for (const netmodels::ShardingKind& kind : netmodels::sharding_kinds) {
      if (&kind != work.parallelism.data) all.push_back({fmt::format("parallelism.data={}", kind.name)});
    }
  }
  all.push_back({"compression.method=fp16"});
  all.push_back({"compression.method=powersgd", "compression.rank=4"});
  all.push_back({"compression.method=topk", "compression.ratio=1 %"});
  constexpr int larger = 4;
  if (work.training.batches.empty())
    all.push_back({fmt::format("training.batch={}", larger * work.training.batch),
                   fmt::format("training.accumulation={}", larger * work.training.accumulation)});
  all.push_back({"synchronisation.method=periodic", "synchronisation.every=8"});
  return all;
}

/// Simulates the arm with everything that was measured.
class StepStudy {
 public:
  explicit StepStudy(const StepLossQuestion& question) : question_(question) {}

  Result<StepLoss> answer() {
    GRADSIM_TRY(arm, question_.read({}));
    arm_ = std::move(*arm);
    if (arm_.cluster.workers == 1)
      return refuse("cluster.workers", "there is one worker, which loses nothing to others",
                    "write `cluster.workers` of at least 2");
    loss_.has_changes = !arm_.cluster.changes.empty() || !arm_.cluster.traces.empty();
    arm_.cluster.changes.clear();
    GRADSIM_TRY(unscaled, simulated_step(arm_, clusters_));  // refuses arms without a typical step first
    if (auto scaled = measure_alone(); !scaled) return tl::unexpected(scaled.error());
    GRADSIM_TRY(predicted, simulated_step(arm_, clusters_));
    loss_.predicted = predicted->duration;
    loss_.step = question_.step.value_or(predicted->duration);
    if (question_.step && *question_.step < loss_.alone)
      return refuse("--step",
                    fmt::format("a step of {} is shorter than that of one worker alone, {}",
                                netmodels::print(loss_.step, 4), netmodels::print(loss_.alone, 4)),
                    "measure one worker with the same batch (`--alone`)");
    if (auto found = find_network(); !found) return tl::unexpected(found.error());
    if (auto explained = explain_loss(); !explained) return tl::unexpected(explained.error());
    if (auto added = add_ceilings(); !added) return tl::unexpected(added.error());
    add_remedies();
    return std::move(loss_);
  }

 private:
  /// A step of one worker of speed 1 with this batch, which exchanges nothing.
  Result<Seconds> alone_with(int batch) {
    Scenario alone = arm_;
    leave_alone(alone);
    alone.work.training.batch = batch;
    GRADSIM_TRY(step, simulated_step(alone, clusters_));
    return step->duration;
  }

  /// As many samples at the sum of all workers' rates.
  Result<Seconds> undisturbed_step() {
    double rate = 0;
    std::map<int, Seconds> known;
    for (int worker = 0; worker < arm_.cluster.workers; ++worker) {
      const int batch = batch_of(arm_.work.training, static_cast<std::uint32_t>(worker));
      if (!known.contains(batch)) {
        GRADSIM_TRY(alone, alone_with(batch));
        known.emplace(batch, *alone);
      }
      const auto& speeds = arm_.cluster.speeds;
      const double speed = speeds.empty() ? 1 : speeds[static_cast<std::size_t>(worker)];
      rate += batch * speed / known.at(batch).count;
    }
    return Seconds{samples_of(arm_.work, arm_.cluster) / rate};
  }

  /// Lets computing take as long as was measured.
  Result<void> measure_alone() {
    loss_.arm = arm_.name == scenario::only_arm ? "" : arm_.name;
    loss_.workers = arm_.cluster.workers;
    loss_.gpus = static_cast<int>(arm_.work.parallelism.inside().devices());
    loss_.is_uneven = !arm_.cluster.speeds.empty() || !arm_.work.training.batches.empty();
    loss_.is_alone_measured = question_.alone.has_value();
    if (question_.alone) {
      GRADSIM_TRY(predicted, alone_with(arm_.work.training.batch));
      const Seconds host = arm_.work.workload.host_overhead.at(arm_.work.training.batch);
      if (*question_.alone <= host)
        return refuse("--alone",
                      fmt::format("{} is no longer than the host overhead of the scenario, {}",
                                  netmodels::print(*question_.alone, 4), netmodels::print(host, 4)),
                      "state `compute.host_overhead`");
      factor_ = (*question_.alone - host) / (*predicted - host);
      scale_computing(arm_, factor_);
    }
    GRADSIM_TRY(alone, undisturbed_step());
    loss_.alone = *alone;
    return {};
  }

  /// The arm with other settings, computing as measured, on the network that explains the step.
  Result<Scenario> changed_arm(std::span<const std::string> settings) const {
    auto arm = question_.read(settings);
    if (!arm) return arm;
    arm->cluster.changes.clear();
    scale_computing(*arm, factor_);
    const UnknownRow* row = goodput_ ? goodput_row(*arm) : nullptr;
    if (row != nullptr) row->put(*arm, *goodput_);
    return arm;
  }

  Result<SimulatedStep> step_at(const UnknownRow& row, double goodput) {
    Scenario arm = arm_;
    row.put(arm, goodput);
    return simulated_step(arm, clusters_);
  }

  /// The goodput at which the predicted step takes as long as the measured one, by halving its logarithm.
  Result<void> find_network() {
    const Seconds measured = loss_.step;
    if (std::abs(measured / loss_.predicted - 1) <= tie) return {};
    const UnknownRow* row = goodput_row(arm_);
    if (row == nullptr) return {};
    const Prior prior = row->prior(arm_, measured);
    constexpr double widest = 1e4;
    double low = std::log(prior.expected / widest);
    double high = std::log(std::min(prior.expected * widest, prior.most));
    GRADSIM_TRY(slowest, step_at(*row, std::exp(low)));
    GRADSIM_TRY(fastest, step_at(*row, std::exp(high)));
    if (slowest->duration < measured || fastest->duration > measured) return {};
    constexpr double precise = 1e-3;
    while (high - low > precise) {
      const double middle = (low + high) / 2;
      GRADSIM_TRY(step, step_at(*row, std::exp(middle)));
      (step->duration > measured ? low : high) = middle;
    }
    goodput_ = std::exp(high);
    loss_.network = ExplainingNetwork{row->key, row->print(*goodput_), row->print(prior.expected),
                                      *goodput_ > prior.expected};
    stated_goodput_ = prior.expected;
    row->put(arm_, *goodput_);
    return {};
  }

  /// The part of the exposed exchange that is left without limits of bandwidth.
  Result<Seconds> exposed_latency(const SimulatedStep& step) {
    const UnknownRow* row = goodput_row(arm_);
    if (row == nullptr || arm_.cluster.nccl) return std::min(step.latency, step.parts.exchange);
    constexpr double without_limit = 1e9;
    GRADSIM_TRY(free, step_at(*row, arm_.cluster.link.bandwidth.count * without_limit));
    return std::min(free->parts.exchange, step.parts.exchange);
  }

  Result<void> explain_loss() {
    GRADSIM_TRY(step, simulated_step(arm_, clusters_));
    GRADSIM_TRY(latency, exposed_latency(*step));
    const netmodels::Parts& parts = step->parts;
    loss_.lost = {{"exposed_bandwidth_s", "exposed exchange: bandwidth", parts.exchange - *latency},
                  {"exposed_latency_s", "exposed exchange: latency", *latency},
                  {"compress_time_s", "compressing", parts.compress},
                  {"wait_time_s", "waiting for slower workers", parts.wait + parts.stream_wait},
                  {"slowed_compute_s", "computing, slower than alone", parts.compute - loss_.alone},
                  {"unexplained_s", "not explained", loss_.step - step->duration}};
    constexpr double noticed = 1e-9;
    std::erase_if(loss_.lost, [&](const LostTime& one) {
      return std::abs(one.time.count) <= noticed * loss_.step.count;
    });
    std::ranges::stable_sort(loss_.lost, std::ranges::greater{}, &LostTime::time);
    return {};
  }

  [[nodiscard]] OtherStep other_step(std::string what, Seconds step, int samples) const {
    const double rate = samples / step.count;
    const double alone = samples_of(arm_.work, arm_.cluster) / loss_.alone.count;
    return {std::move(what), step, rate, rate / alone};
  }

  Result<OtherStep> on_goodput(const UnknownRow& row, std::string what, double goodput) {
    GRADSIM_TRY(step, step_at(row, goodput));
    return other_step(std::move(what), step->duration, samples_of(arm_.work, arm_.cluster));
  }

  Result<void> add_range(const UnknownRow& row, const Prior& prior) {
    if (goodput_ || prior.low <= 0) return {};
    GRADSIM_TRY(slow, on_goodput(row, row.print(prior.low), prior.low));
    GRADSIM_TRY(fast, on_goodput(row, row.print(prior.high), prior.high));
    loss_.range = {std::move(*slow), std::move(*fast)};
    return {};
  }

  /// Better networks; one that changes nothing is left out.
  Result<void> add_networks(const UnknownRow& row, const Prior& prior) {
    const double now = goodput_.value_or(prior.expected);
    std::vector<std::pair<std::string, double>> networks;
    if (goodput_ && *stated_goodput_ > now) networks.emplace_back("the network as stated", *stated_goodput_);
    if (std::isfinite(prior.most) && now < prior.most) {
      networks.emplace_back("its line rate, " + row.print(prior.most), prior.most);
    } else {
      networks.emplace_back("twice the bandwidth, " + row.print(2 * now), 2 * now);
    }
    for (auto& [what, goodput] : networks) {
      GRADSIM_TRY(other, on_goodput(row, std::move(what), goodput));
      constexpr double noticed = 1e-3;
      if (other->step < loss_.step * (1 - noticed)) loss_.ceilings.push_back(std::move(*other));
    }
    return {};
  }

  Result<void> add_ceilings() {
    if (const UnknownRow* row = goodput_row(arm_)) {
      GRADSIM_TRY(original, question_.read({}));
      const Prior prior = row->prior(*original, loss_.step);
      if (auto added = add_range(*row, prior); !added) return added;
      if (auto added = add_networks(*row, prior); !added) return added;
    }
    GRADSIM_TRY(step, simulated_step(arm_, clusters_));
    loss_.ceilings.push_back(other_step("exchanges that take no time", step->duration - step->parts.exchange,
                                        samples_of(arm_.work, arm_.cluster)));
    return {};
  }

  /// How the changed arm trains otherwise than the arm.
  [[nodiscard]] ChangeKind kind_of(const scenario::Work& work, const scenario::Cluster& cluster,
                                   const scenario::Exchange& exchange) const {
    switch (update_kind_of(work, exchange)) {
      case report::UpdateKind::exact:
        return samples_of(work, cluster) > samples_of(arm_.work, arm_.cluster) ? ChangeKind::batch
                                                                               : ChangeKind::exact;
      case report::UpdateKind::approximated: return ChangeKind::approximated;
      case report::UpdateKind::other: break;
    }
    return ChangeKind::local;
  }

  /// Nothing where the scenario cannot have the settings.
  std::optional<StepRemedy> simulated_change(const std::vector<std::string>& settings) {
    const auto arm = changed_arm(settings);
    if (!arm) return std::nullopt;
    const auto step = simulated_step(*arm, clusters_);
    if (!step) return std::nullopt;
    std::string text = fmt::format("{}", fmt::join(settings, ", "));
    loss_.tried.push_back(text);
    return StepRemedy{kind_of(arm->work, arm->cluster, arm->exchange),
                      other_step(std::move(text), step->duration, samples_of(arm->work, arm->cluster)),
                      step->is_at_least};
  }

  void add_remedies() {
    if (update_kind_of(arm_.work, arm_.exchange) != report::UpdateKind::exact) return;
    std::map<ChangeKind, StepRemedy> best;
    for (const std::vector<std::string>& settings : changes_of(arm_.work)) {
      std::optional<StepRemedy> change = simulated_change(settings);
      if (!change) continue;
      const auto [known, is_first] = best.emplace(change->kind, *change);
      if (!is_first && change->result.efficiency > known->second.result.efficiency * (1 + tie))
        known->second = std::move(*change);
    }
    double reached = loss_.efficiency();
    for (auto& [kind, change] : best) {
      if (change.result.efficiency <= reached * (1 + tie)) continue;
      if (!change.is_at_least) reached = change.result.efficiency;
      loss_.remedies.push_back(std::move(change));
    }
  }

  const StepLossQuestion& question_;
  engine::ClusterCache clusters_;
  Scenario arm_ = {};  ///< arm with what was measured
  double factor_ = 1;  ///< factor of computing
  std::optional<double> goodput_;
  std::optional<double> stated_goodput_;
  StepLoss loss_;
};

}  // namespace

std::string_view describe(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::exact: return "the same update";
    case ChangeKind::approximated: return "lossy gradients";
    case ChangeKind::batch: return "larger batches";
    case ChangeKind::local: return "local steps";
  }
  return "";
}

Result<StepLoss> step_loss(const StepLossQuestion& question) { return StepStudy(question).answer(); }

}  // namespace sim::fit
