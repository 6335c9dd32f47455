// From an action to a graph; asking the exchange policy; evaluating collective after collective.
#include "sim/engine/communication_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/catalogue.hpp"
#include "netmodels/data_parallel_step.hpp"
#include "netmodels/sharded_step.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/candidate_times.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/quantization.hpp"
#include "sim/engine/site_step.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// A named collective stays where it can carry what is sent; elsewhere the cheapest that can is taken.
void keep_what_fits(ExchangeQuestion& question) {
  if (question.named != nullptr && !kernels::carries(question.named->kind, *question.sent.method))
    question.named = nullptr;
}

/// Whether these workers are all of each node that they are on.
bool fill_nodes(const std::vector<std::uint32_t>& workers, std::uint32_t per_node) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t worker : workers) ++counts[worker / per_node];
  return std::ranges::all_of(counts, [&](const auto& node) { return node.second == per_node; });
}

/// A model is sent at once, after the optimizer: as it is, or its compressed change.
ExchangeQuestion question_of_model(const StepSettings& settings, const std::vector<std::uint32_t>& workers) {
  ExchangeQuestion question = stated_exchange(settings);
  question.parts = {.limits = {{}, {}}};
  question.value_bytes = netmodels::gradient_value_bytes;
  question.overlap = false;
  question.buffers = {};
  question.fragments = streaming_of(settings.synchronisation).fragments;
  const bool drawn = drawn_share(settings.synchronisation) < 1;
  if (drawn && !fill_nodes(workers, question.workers_per_node))
    question.workers_per_node = 1;  // rings over all
  keep_what_fits(question);
  return question;
}

ExchangeQuestion question_of(const StepSettings& settings, const StepAction& action,
                             const std::vector<std::uint32_t>& workers) {
  if (action.traffic == Traffic::parameters) return question_of_model(settings, workers);
  if (action.traffic == Traffic::nothing || !action.compression) return stated_exchange(settings);
  ExchangeQuestion question = exchange_of(settings, action.compression->sent);
  keep_what_fits(question);
  return question;
}

/// Compression and restoring of the whole gradient, where a policy has chosen them.
struct ChosenTimes {
  Seconds compress;
  Seconds restore;
};

void spread_over(std::vector<netmodels::BucketExchange>& buckets, const ChosenTimes& whole,
                 std::int64_t parameters) {
  for (netmodels::BucketExchange& bucket : buckets) {
    if (bucket.stages.empty()) continue;
    const double share = static_cast<double>(bucket.bucket.elements) / static_cast<double>(parameters);
    bucket.compress = whole.compress * share;
    bucket.restore = whole.restore * share;
  }
}

void add_stated_times(std::vector<netmodels::BucketExchange>& buckets, const CompressionCosts& costs,
                      const policies::CompressionChoice& sent, std::uint32_t workers) {
  for (netmodels::BucketExchange& bucket : buckets) {
    if (bucket.stages.empty()) continue;
    bucket.compress = costs.compressing_time(sent, bucket.bucket.elements, bucket.bucket.tensors);
    bucket.restore = costs.restoring_time(sent, bucket.bucket.elements, workers);
  }
}

/// Makes compressing and restoring take so long in all; in the same proportions as before, or by size where
/// they took no time.
void take_in_all(std::vector<netmodels::BucketExchange>& buckets, Seconds whole, std::int64_t parameters) {
  Seconds before;
  for (const netmodels::BucketExchange& bucket : buckets) before += bucket.compress + bucket.restore;
  if (before == Seconds{}) return spread_over(buckets, {whole, {}}, parameters);
  for (netmodels::BucketExchange& bucket : buckets) {
    bucket.compress = bucket.compress * (whole / before);
    bucket.restore = bucket.restore * (whole / before);
  }
}

/// @param workers  that take part
void add_compression(std::vector<netmodels::BucketExchange>& buckets, const CompressionCosts& costs,
                     const StepAction& action, const policies::CompressionChoice& sent,
                     std::uint32_t workers) {
  if (!action.compression) return add_stated_times(buckets, costs, sent, workers);
  const std::int64_t parameters = costs.parameters();
  spread_over(
      buckets,
      {costs.time_of_trials(action.compression->trials), costs.restoring_time(sent, parameters, workers)},
      parameters);
}

}  // namespace

Traffic traffic_of(policies::Synchronisation decision) {
  if (decision == policies::Synchronisation::stay_local) return Traffic::nothing;
  if (decision == policies::Synchronisation::average_gradients) return Traffic::gradients;
  return Traffic::parameters;
}

CommunicationPlan::CommunicationPlan(const StepSettings& settings, StepAction action,
                                     const std::vector<std::uint32_t>& workers)
    : settings_(&settings),
      action_(std::move(action)),
      question_(question_of(settings, action_, workers)),
      slowdown_(question_.overlap && !settings.workload.traced ? settings.exchange.overlap_slowdown : 0),
      policy_(policies::make_exchange_policy(question_.named, settings.exchange.hysteresis)) {}

void CommunicationPlan::plan(std::uint32_t workers) {
  chosen_ = nullptr;
  const bool gradients = action_.traffic == Traffic::gradients;
  const bool of_site = workers > 1 && settings_->sites && !gradients;
  sharded_ = of_site || (workers > 1 && gradients && settings_->sharded);
  if (of_site)
    plan_site(workers);
  else if (sharded_)
    plan_sharded(workers);
  else if (settings_->workload.traced)
    plan_trace(workers);
  else
    plan_buckets(workers);
}

void CommunicationPlan::plan_site(std::uint32_t workers) {
  exchange_ = plan_exchange(question_, 1);
  if (!settings_->sharded) exchange_.buckets = site_buckets(*settings_, workers);
  graph_ = site_step(*settings_, action_, workers, exchange_.buckets);
}

void CommunicationPlan::plan_sharded(std::uint32_t workers) {
  exchange_ = plan_exchange(question_, 1);  // nothing in buckets
  const DeviceQuantization quantizing(settings_->costs);
  graph_ = netmodels::sharded_step(settings_->workload, settings_->training.batch,
                                   settings_->sharded_among(workers), &quantizing);
}

void CommunicationPlan::plan_trace(std::uint32_t workers) {
  const netmodels::TracedStep& step = *settings_->workload.traced;
  auto gradients = plan_traced_gradients(question_, step, workers);
  add_compression(gradients, settings_->costs, action_, question_.sent, workers);
  if (action_.compressing) take_in_all(gradients, *action_.compressing, settings_->workload.parameters());
  TracedPlan traced = plan_traced(question_, step, workers, std::move(gradients));
  exchange_ = std::move(traced.exchange);
  graph_ = std::move(traced.graph);
}

void CommunicationPlan::plan_buckets(std::uint32_t workers) {
  const bool through = action_.traffic == Traffic::parameters && settings_->exchange.through;
  const std::uint32_t exchanging = action_.traffic == Traffic::nothing || through ? 1 : workers;
  exchange_ = plan_exchange(question_, exchanging);
  add_compression(exchange_.buckets, settings_->costs, action_, question_.sent, exchanging);
  if (action_.compressing)
    take_in_all(exchange_.buckets, *action_.compressing, settings_->workload.parameters());
  graph_ = netmodels::data_parallel_step(settings_->workload, settings_->training.batch,
                                         {question_.overlap, exchange_.buckets, exchange_.buffers});
}

void CommunicationPlan::choose(const std::optional<policies::NetworkEstimate>& network, std::uint64_t reading,
                               const netmodels::NetworkState* links, CostEvaluator& evaluator) {
  reading_ = reading;
  std::optional<ForeseenTimes> times;
  if (links != nullptr && !evaluator.measures(exchange_.candidates))
    times.emplace(evaluator, exchange_.open_operations, *links);
  const policies::ExchangeObservation seen{network, exchange_.open_operations, exchange_.candidates,
                                           times ? &*times : nullptr};
  const netmodels::Collective* choice = policy_->choose(seen);
  if (choice == chosen_) return;
  chosen_ = choice;
  prepare(evaluator);
}

namespace {

/// Nothing where one of both is unknown.
void add(std::optional<netmodels::Bytes>& sum, const std::optional<netmodels::Bytes>& more) {
  if (sum && more)
    *sum += *more;
  else
    sum.reset();
}

}  // namespace

void CommunicationPlan::prepare(CostEvaluator& evaluator) {
  handles_.assign(graph_.operations.size(), {});
  evaluated_.assign(graph_.operations.size(), {});
  leaves_nodes_.assign(graph_.operations.size(), true);
  const std::uint32_t per_node = settings_->workers_per_node;
  sent_ = netmodels::Bytes{};
  between_nodes_ = settings_->shares_nodes ? sent_ : std::nullopt;
  for (const std::uint32_t index : graph_.collectives) {
    const netmodels::StepOperation& operation = graph_.operations[index];
    const netmodels::Collective* row = operation.row == nullptr ? chosen_ : operation.row;
    handles_[index] = evaluator.prepare(*row, operation.operation);
    evaluated_[index].row = row;
    add(sent_, evaluator.sent_per_worker(handles_[index]));
    if (graph_.queued && per_node > 1)
      leaves_nodes_[index] = evaluator.sent_between_nodes(handles_[index], per_node) != netmodels::Bytes{};
    if (between_nodes_) add(between_nodes_, evaluator.sent_between_nodes(handles_[index], per_node));
  }
}

Result<Seconds> CommunicationPlan::evaluate(std::size_t operation, Seconds start, CostEvaluator& evaluator,
                                            NetworkTimeline& network) {
  network.advance_within_step(start);
  GRADSIM_TRY(price, evaluator.evaluate(handles_[operation], network, start));
  Evaluated& evaluated = evaluated_[operation];
  evaluated.duration = price->duration;
  evaluated.by = price->by;
  evaluated.error = price->error;
  evaluated.nccl = price->nccl;
  return price->duration;
}

Seconds CommunicationPlan::latency_of(std::size_t operation, CostEvaluator& evaluator,
                                      const netmodels::NetworkState& state) const {
  const Evaluated& evaluated = evaluated_[operation];
  if (evaluated.nccl) return evaluated.nccl->total() - evaluated.nccl->wire - evaluated.nccl->contention;
  return evaluator.latency_of(handles_[operation], state, evaluated.duration);
}

bool CommunicationPlan::measured() const {
  return std::ranges::any_of(
      evaluated_, [](const Evaluated& one) { return one.row != nullptr && one.by == EvaluatedBy::measured; });
}

}  // namespace sim::engine
