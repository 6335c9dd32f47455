// Simulated steps: of one worker, of all, with other networks, with other settings.
#include "sim/fit/step_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/engine/simulate.hpp"
#include "sim/fit/step_cases.hpp"
#include "sim/fit/step_unknowns.hpp"
#include "sim/report/update_kind.hpp"
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
  Seconds latency;  ///< of the exposed exchange, the part that is left without limits of bandwidth
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
  return step.dependence && step.dependence->points.back().step > step.step.duration * (1 + tie);
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

int samples_of(const Scenario& arm) {
  int samples = 0;
  for (int worker = 0; worker < arm.cluster.workers; ++worker)
    samples += batch_of(arm.training, static_cast<std::uint32_t>(worker));
  return samples;
}

void scale(netmodels::LinearTime& time, double factor) {
  time = {time.fixed * factor, time.per_sample * factor};
}

report::UpdateKind update_kind_of(const Scenario& arm) {
  return report::update_kind(arm.synchronisation, arm.compression, arm.parallelism);
}

/// Lets all computing but the host's take so many times as long.
void scale_computing(Scenario& arm, double factor) {
  for (netmodels::Layer& layer : arm.workload.layers) {
    scale(layer.forward, factor);
    scale(layer.backward, factor);
  }
  arm.workload.optimizer = arm.workload.optimizer * factor;
}

/// Of the goodput of the arm's network; null where it has none that holds for all workers and all the time.
const UnknownRow* goodput_row(const Scenario& arm) {
  if (!arm.cluster.traces.empty() || !arm.cluster.worker_links.empty()) return nullptr;
  for (const UnknownRow& row : unknown_rows()) {
    if (row.kind == scenario::StepUnknown::goodput && row.applies(arm)) return &row;
  }
  return nullptr;
}

/// Simulates the arm with everything that was measured.
class StepStudy {
 public:
  explicit StepStudy(const StepLossQuestion& question) : question_(question) {}

  Result<StepLoss> answer() {
    GRADSIM_TRY(arm, question_.read({}));
    stated_ = std::move(*arm);
    stated_.cluster.changes.clear();
    if (stated_.cluster.workers == 1)
      return refuse("cluster.workers", "there is one worker, which loses nothing to others",
                    "write `cluster.workers` of at least 2");
    if (auto scaled = measure_alone(); !scaled) return tl::unexpected(scaled.error());
    scale_computing(stated_, factor_);
    GRADSIM_TRY(predicted, simulated_step(stated_, clusters_));
    loss_.predicted = predicted->duration;
    loss_.step = question_.step.value_or(predicted->duration);
    if (loss_.step < loss_.alone)
      return refuse("--step",
                    fmt::format("a step of {} is shorter than that of one worker alone, {}",
                                netmodels::print(loss_.step, 4), netmodels::print(loss_.alone, 4)),
                    "measure one worker with the same batch (`--alone`)");
    if (auto found = find_network(predicted->duration); !found) return tl::unexpected(found.error());
    if (auto explained = explain_loss(); !explained) return tl::unexpected(explained.error());
    if (auto added = add_ceilings(); !added) return tl::unexpected(added.error());
    if (auto added = add_remedies(); !added) return tl::unexpected(added.error());
    return std::move(loss_);
  }

 private:
  /// The step of one worker, and by how much computing is slower than predicted.
  Result<void> measure_alone() {
    Scenario alone = stated_;
    leave_alone(alone);
    GRADSIM_TRY(step, simulated_step(alone, clusters_));
    loss_.arm = stated_.name == scenario::only_arm ? "" : stated_.name;
    loss_.workers = stated_.cluster.workers;
    loss_.workers_per_node = stated_.cluster.workers_per_node;
    loss_.alone = question_.alone.value_or(step->duration);
    loss_.is_alone_measured = question_.alone.has_value();
    if (!question_.alone) return {};
    const Seconds host = alone.workload.host_overhead.at(alone.training.batch);
    if (*question_.alone <= host)
      return refuse("--alone",
                    fmt::format("{} is no longer than the host overhead of the scenario, {}",
                                netmodels::print(*question_.alone, 4), netmodels::print(host, 4)),
                    "state `compute.host_overhead`");
    factor_ = (*question_.alone - host) / (step->duration - host);
    return {};
  }

  /// The arm with further settings, computing as measured, on the network that explains the step.
  Result<Scenario> changed(std::span<const std::string> settings) const {
    auto arm = question_.read(settings);
    if (!arm) return arm;
    arm->cluster.changes.clear();
    scale_computing(*arm, factor_);
    if (goodput_) {
      const UnknownRow* row = goodput_row(*arm);
      if (row != nullptr) row->put(*arm, *goodput_);
    }
    return arm;
  }

  Result<Seconds> step_at(const UnknownRow& row, double goodput) {
    Scenario arm = stated_;
    row.put(arm, goodput);
    GRADSIM_TRY(step, simulated_step(arm, clusters_));
    return step->duration;
  }

  /// The goodput at which the predicted step takes as long as the measured one, by halving its logarithm.
  Result<void> find_network(Seconds predicted) {
    if (!question_.step || std::abs(*question_.step / predicted - 1) <= tie) return {};
    const UnknownRow* row = goodput_row(stated_);
    if (row == nullptr) return {};
    const Prior prior = row->prior(stated_, *question_.step);
    constexpr double widest = 1e4;
    double low = std::log(prior.expected / widest);
    double high = std::log(std::min(prior.expected * widest, prior.most));
    GRADSIM_TRY(slowest, step_at(*row, std::exp(low)));
    GRADSIM_TRY(fastest, step_at(*row, std::exp(high)));
    if (*slowest < *question_.step || *fastest > *question_.step) return {};
    constexpr double precise = 1e-3;
    while (high - low > precise) {
      const double middle = (low + high) / 2;
      GRADSIM_TRY(step, step_at(*row, std::exp(middle)));
      (*step > *question_.step ? low : high) = middle;
    }
    goodput_ = std::exp(high);
    loss_.network = ExplainingNetwork{row->key, row->print(*goodput_), row->print(prior.expected)};
    row->put(stated_, *goodput_);
    return {};
  }

  Result<void> explain_loss() {
    GRADSIM_TRY(step, simulated_step(stated_, clusters_));
    const netmodels::Parts& parts = step->parts;
    const Seconds rest = loss_.step - step->duration;
    loss_.lost = {
        {"exposed_bandwidth_s", "exchange that nothing hides: bandwidth", parts.exchange - step->latency},
        {"exposed_latency_s", "exchange that nothing hides: latency", step->latency},
        {"compress_time_s", "compressing", parts.compress},
        {"wait_time_s", "waiting for slower workers", parts.wait + parts.stream_wait},
        {"slowed_compute_s", "computing, slower than alone", parts.compute - loss_.alone},
        {"unexplained_s", "not explained", rest}};
    std::erase_if(loss_.lost, [&](const LostTime& one) {
      constexpr double noticed = 1e-9;
      return std::abs(one.time.count) <= noticed * loss_.step.count;
    });
    std::ranges::stable_sort(loss_.lost, std::ranges::greater{}, &LostTime::time);
    return {};
  }

  [[nodiscard]] OtherStep other_step(std::string what, Seconds step, int samples) const {
    const double rate = samples / step.count;
    const double alone = samples_of(stated_) / loss_.alone.count;
    return {std::move(what), step, rate, rate / alone};
  }

  Result<OtherStep> on_goodput(const UnknownRow& row, std::string what, double goodput) {
    GRADSIM_TRY(step, step_at(row, goodput));
    return other_step(std::move(what), *step, samples_of(stated_));
  }

  Result<void> add_ceilings() {
    const UnknownRow* row = goodput_row(stated_);
    GRADSIM_TRY(original, question_.read({}));
    if (row != nullptr) {
      const Prior prior = row->prior(*original, loss_.step);
      if (!goodput_ && prior.low > 0) {
        GRADSIM_TRY(slow, on_goodput(*row, row->print(prior.low), prior.low));
        GRADSIM_TRY(fast, on_goodput(*row, row->print(prior.high), prior.high));
        loss_.range = {std::move(*slow), std::move(*fast)};
      }
      const double now = goodput_.value_or(prior.expected);
      if (goodput_ && now < prior.expected) {
        GRADSIM_TRY(stated, on_goodput(*row, "the network as stated", prior.expected));
        loss_.ceilings.push_back(std::move(*stated));
      }
      if (std::isfinite(prior.most) && now < prior.most) {
        GRADSIM_TRY(line, on_goodput(*row, "its line rate, " + row->print(prior.most), prior.most));
        loss_.ceilings.push_back(std::move(*line));
      } else {
        GRADSIM_TRY(twice, on_goodput(*row, "twice the bandwidth, " + row->print(2 * now), 2 * now));
        loss_.ceilings.push_back(std::move(*twice));
      }
    }
    GRADSIM_TRY(step, simulated_step(stated_, clusters_));
    loss_.ceilings.push_back(other_step("exchanges that take no time", step->duration - step->parts.exchange,
                                        samples_of(stated_)));
    return {};
  }

  /// Settings of one kind that are tried.
  struct Trial {
    ChangeKind kind;
    std::vector<std::string> settings;
  };

  [[nodiscard]] std::vector<Trial> trials() const {
    using enum ChangeKind;
    std::vector<Trial> all{{exact, {"exchange.overlap=true"}},
                           {exact, {"exchange.collective=auto"}},
                           {exact, {"exchange.bucket=100 MiB"}},
                           {exact, {"exchange.bucket=5 MiB"}},
                           {approximated, {"compression.method=fp16"}},
                           {approximated, {"compression.method=powersgd", "compression.rank=4"}},
                           {approximated, {"compression.method=topk", "compression.ratio=1 %"}}};
    constexpr int larger = 4;
    if (stated_.training.batches.empty())
      all.push_back({batch,
                     {fmt::format("training.batch={}", larger * stated_.training.batch),
                      fmt::format("training.accumulation={}", larger * stated_.training.accumulation)}});
    all.push_back({local, {"synchronisation.method=periodic", "synchronisation.every=8"}});
    return all;
  }

  /// Whether the change has the kind that it was tried for.
  [[nodiscard]] bool is_of_kind(const Scenario& arm, ChangeKind kind) const {
    using enum report::UpdateKind;
    switch (update_kind_of(arm)) {
      case exact: return kind == ChangeKind::exact || kind == ChangeKind::batch;
      case approximated: return kind == ChangeKind::approximated;
      case other: return kind == ChangeKind::local;
    }
    return false;
  }

  /// Nothing where the scenario cannot have the settings, or is no faster by more than predictions err.
  std::optional<StepRemedy> tried(const Trial& trial) {
    const auto arm = changed(trial.settings);
    if (!arm || !is_of_kind(*arm, trial.kind)) return std::nullopt;
    const auto step = simulated_step(*arm, clusters_);
    if (!step) return std::nullopt;
    StepRemedy remedy{
        trial.kind,
        other_step(fmt::format("{}", fmt::join(trial.settings, ", ")), step->duration, samples_of(*arm)),
        step->is_at_least};
    const bool faster = remedy.result.efficiency > loss_.efficiency() * (1 + tie);
    return faster ? std::optional(std::move(remedy)) : std::nullopt;
  }

  Result<void> add_remedies() {
    loss_.has_trials = update_kind_of(stated_) == report::UpdateKind::exact;
    if (!loss_.has_trials) return {};
    std::vector<StepRemedy> best;
    for (const Trial& trial : trials()) {
      std::optional<StepRemedy> remedy = tried(trial);
      if (!remedy) continue;
      const auto same = std::ranges::find(best, remedy->kind, &StepRemedy::kind);
      if (same == best.end()) {
        best.push_back(std::move(*remedy));
      } else if (remedy->result.efficiency > same->result.efficiency * (1 + tie)) {
        *same = std::move(*remedy);
      }
    }
    constexpr std::size_t most = 3;
    if (best.size() > most) best.resize(most);
    loss_.remedies = std::move(best);
    return {};
  }

  const StepLossQuestion& question_;
  engine::ClusterCache clusters_;
  Scenario stated_ = {};  ///< with what was measured
  double factor_ = 1;     ///< of computing
  std::optional<double> goodput_;
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
