// Rows of the policies and how each is made.
#include "policies/catalogue.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include "policies/accordion.hpp"
#include "policies/accordion_per_step.hpp"
#include "policies/adacomm.hpp"
#include "policies/cheapest_collective.hpp"
#include "policies/dbs_batch.hpp"
#include "policies/diloco.hpp"
#include "policies/easgd.hpp"
#include "policies/every_step.hpp"
#include "policies/fedavg.hpp"
#include "policies/fixed_collective.hpp"
#include "policies/fixed_compression.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/goodput.hpp"
#include "policies/gravac.hpp"
#include "policies/periodic.hpp"
#include "policies/profile_all.hpp"
#include "policies/proportional_batch.hpp"
#include "policies/ratio_warm_up.hpp"
#include "policies/scadles_compression.hpp"
#include "policies/selsync.hpp"
#include "policies/stream_rate_batch.hpp"
#include "policies/uniform_batch.hpp"

namespace policies {
namespace {

/// The members of a policy's settings say what else its row can tell.
template <class Policy, class S>
consteval CompressionRow compression_row(const settings::Row& facts, const CompressionTraits& traits = {}) {
  CompressionRow row{facts, traits};
  row.settings = &settings::owned<S>;
  row.make = [](const void* settings, const CompressionJob& job) -> std::unique_ptr<CompressionPolicy> {
    return std::make_unique<Policy>(*static_cast<const S*>(settings), job);
  };
  if constexpr (requires(const S& s) { s.first_ratio(); })
    row.first_ratio = [](const void* settings) { return static_cast<const S*>(settings)->first_ratio(); };
  return row;
}

template <class Policy, class S>
consteval SynchronisationRow row(const settings::Row& facts, const SynchronisationTraits& traits = {}) {
  SynchronisationRow row{facts, traits};
  row.settings = &settings::owned<S>;
  row.make = [](const void* settings) -> std::unique_ptr<SynchronisationPolicy> {
    if constexpr (std::constructible_from<Policy, const S&>)
      return std::make_unique<Policy>(*static_cast<const S*>(settings));
    else
      return std::make_unique<Policy>();
  };
  if constexpr (requires(const S& s) { s.period(); })
    row.period = [](const void* settings) { return static_cast<const S*>(settings)->period(); };
  if constexpr (requires(const S& s) { s.exchanges_models(); })
    row.exchanges_models = [](const void* settings) {
      return static_cast<const S*>(settings)->exchanges_models();
    };
  if constexpr (requires(const S& s) { s.parameter_server(); })
    row.server = [](const void* settings) { return static_cast<const S*>(settings)->parameter_server(); };
  if constexpr (requires(const S& s) { s.problem_with(1); })
    row.problem_with = [](const void* settings, int workers) {
      return static_cast<const S*>(settings)->problem_with(workers);
    };
  return row;
}

constexpr std::array synchronisation_rows{
    row<EveryStep, settings::None>(
        {"bsp", "all workers average gradients in every step", "Valiant 1990", "{method: bsp}"},
        {.every_step = true, .steps_assumed = true}),
    row<Periodic, Periodic::Settings>({"periodic", "local steps, an exchange in every H-th (local SGD)",
                                       "Stich 2019", "{method: periodic, every: 20}"},
                                      {.steps_assumed = true}),
    row<FedAvg, FedAvg::Settings>({"fedavg", "local epochs, then a mean over some of the workers",
                                   "McMahan et al. 2017", "{method: fedavg, every_epochs: 0.25}"}),
    row<AdaComm, AdaComm::Settings>({"adacomm", "local steps, fewer between two exchanges as the loss falls",
                                     "Wang & Joshi, MLSys 2019", "{method: adacomm, every: 20}"},
                                    {.looks = Looks::loss}),
    row<Easgd, Easgd::Settings>({"easgd", "local steps of workers that are drawn to a centre",
                                 "Zhang et al., NIPS 2015", "{method: easgd, every: 20}"},
                                {.steps_assumed = true, .tests_centre = true}),
    row<DiLoCo, DiLoCo::Settings>(
        {"diloco", "local steps, then an outer step with momentum on what they changed",
         "Douillard et al. 2023", "{method: diloco, every: 20}"},
        {.steps_assumed = true}),
    row<SelSync, SelSync::Settings>({"selsync", "an exchange when any worker's gradient has changed enough",
                                     "Tyagi & Swany, IEEE CLUSTER 2023", "{method: selsync, threshold: 0.2}"},
                                    {.looks = Looks::gradients, .flags = true}),
    row<EveryStep, StaleSynchronous>(
        {"ssp", "a parameter server; the fastest worker waits when it is too far ahead of the slowest",
         "Ho et al., NeurIPS 2013", "{method: ssp, staleness: 10}"}),
    row<EveryStep, Asynchronous>(
        {"asp", "a parameter server; nobody waits", "Recht et al., NeurIPS 2011", "{method: asp}"}),
};

constexpr std::array compression_rows{
    compression_row<FixedCompression, settings::None>(
        {"fixed", "one method at one ratio from beginning to end", "", "{policy: fixed}"},
        {.decides = false, .chooses_ratio = false}),
    compression_row<Gravac, Gravac::Settings>(
        {.name = "gravac",
         .summary = "the factor climbs while the gradient keeps its energy and throughput grows",
         .source = "Tyagi & Swany, IEEE CLOUD 2023",
         .example = "{policy: gravac, method: topk}",
         .settings_doc = "Settings of GraVAC."}),
    compression_row<Accordion, Accordion::Settings>(
        {.name = "accordion",
         .summary = "less compression in epochs in which the gradient's norm changes fast",
         .source = "Agarwal et al., MLSys 2021",
         .example = "{policy: accordion, method: topk}",
         .settings_doc = "Settings of Accordion."}),
    compression_row<AccordionPerStep, AccordionPerStep::Settings>(
        {.name = "accordion_per_step",
         .summary = "the same from step to step, on a smoothed norm",
         .source = "Tyagi & Swany, IEEE CLOUD 2023, released code",
         .example = "{policy: accordion_per_step, method: topk}",
         .settings_doc = "Settings of Accordion step by step."}),
    compression_row<ScadlesCompression, ScadlesCompression::Settings>(
        {.name = "scadles",
         .summary = "compressed where little of the gradient's energy is lost, else dense",
         .source = "Tyagi & Swany, IEEE BigData 2022",
         .example = "{policy: scadles, method: topk}",
         .settings_doc = "Settings of ScaDLES' rule."},
        {.chooses_ratio = false}),
    compression_row<FlexibleCompression, FlexibleCompression::Settings>(
        {.name = "flexible",
         .summary = "all-gather or AR-Topk by their cost, the ratio by exchange time against gain",
         .source = "Tyagi & Swany, IEEE BigData 2023",
         .example = "{policy: flexible, flexible: {ratios: [10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]}}",
         .settings_doc = "Settings of the flexible policy."},
        {.chooses_method = true, .warms_up = true}),
};

constexpr std::array table{
    PolicyRow{"exchange", "fixed", "one named collective", ""},
    PolicyRow{"exchange", "auto",
              "the collective whose closed form is cheapest on the network as last observed",
              "Tyagi & Swany 2023, section 3-D"},
    PolicyRow{"batching", "uniform", "the same number of samples on every worker", ""},
    PolicyRow{"batching", "proportional", "samples by the speed that is stated for each worker, once",
              "Tyagi & Sharma, IEEE ACSOS 2020"},
    PolicyRow{"batching", "dynamic", "samples move from slow workers to fast ones until all take as long",
              "Tyagi & Sharma, IEEE ACSOS 2020; OmniLearn, IEEE TPDS 2025"},
    PolicyRow{"batching", "dbs", "samples by each worker's speed in the epoch before",
              "Ye et al., arXiv:2007.11831"},
    PolicyRow{"batching", "lb_bsp", "samples by each worker's predicted speed (an average for the predictor)",
              "Chen et al., arXiv:1806.02508"},
    PolicyRow{"batching", "stream_rate", "each device takes one second of its own stream",
              "Tyagi & Swany, ScaDLES, IEEE BigData 2022"},
    PolicyRow{"planning", "scavenger",
              "profiles some clusters and batches, fits epochs and step time, predicts the others",
              "Tyagi & Sharma, CCGrid 2023"},
    PolicyRow{"planning", "grid", "profiles every cluster and batch and believes what it sees", ""},
    PolicyRow{"planning", "bayesian",
              "a Gaussian process profiles next where it expects to gain most (CherryPick)",
              "Alipourfard et al., NSDI 2017"},
    PolicyRow{"planning", "goodput", "throughput times statistical efficiency (Pollux)",
              "Qiao et al., OSDI 2021"},
};

}  // namespace

std::span<const SynchronisationRow> synchronisations() { return synchronisation_rows; }

const SynchronisationRow* find_synchronisation(std::string_view name) {
  const auto row = std::ranges::find(synchronisation_rows, name, &SynchronisationRow::name);
  return row == synchronisation_rows.end() ? nullptr : &*row;
}

void describe(settings::Fields& fields, SynchronisationChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "method",
                          .doc = "When workers exchange what they learned: a row of `sim list policies`.",
                          .fallback = "bsp"},
                         synchronisations(), settings::Layout::beside);
}

std::span<const CompressionRow> compressions() { return compression_rows; }

const CompressionRow* find_compression(std::string_view name) {
  const auto row = std::ranges::find(compression_rows, name, &CompressionRow::name);
  return row == compression_rows.end() ? nullptr : &*row;
}

void describe(settings::Fields& fields, CompressionPolicyChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "policy",
                          .doc = "Who decides about method and ratio: a row of `sim list policies`.",
                          .fallback = "fixed"},
                         compressions(), settings::Layout::under);
}

std::unique_ptr<CompressionPolicy> make_policy(const CompressionPolicyChoice& choice,
                                               const CompressionJob& job) {
  const bool warms_up = job.warm_up.epochs > 0;
  if (!choice->traits.decides && !warms_up) return nullptr;
  auto policy = choice->make(choice.settings(), job);
  if (!warms_up || choice->traits.warms_up) return policy;
  CompressionChoice first = job.stated;
  if (choice->first_ratio != nullptr) first.ratio = choice->first_ratio(choice.settings());
  return std::make_unique<RatioWarmUp>(job.warm_up, first, std::move(policy));
}

std::vector<PolicyRow> catalogue() {
  std::vector<PolicyRow> all;
  for (const SynchronisationRow& row : synchronisation_rows)
    all.push_back({"synchronisation", row.name, row.summary, row.source});
  for (const CompressionRow& row : compression_rows)
    all.push_back({"compression", row.name, row.summary, row.source});
  all.insert(all.end(), table.begin(), table.end());
  return all;
}

std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis) {
  if (collective == "auto") return std::make_unique<CheapestCollective>(hysteresis);
  return std::make_unique<FixedCollective>();
}

std::unique_ptr<PlanningPolicy> make_scavenger(const Scavenger::Settings& settings) {
  return std::make_unique<Scavenger>(settings);
}

std::unique_ptr<PlanningPolicy> make_profile_all() { return std::make_unique<ProfileAll>(); }

std::unique_ptr<PlanningPolicy> make_bayesian_planner(const BayesianPlanner::Settings& settings) {
  return std::make_unique<BayesianPlanner>(settings);
}

std::unique_ptr<PlanningPolicy> make_goodput() { return std::make_unique<Goodput>(); }

std::unique_ptr<BatchingPolicy> make_uniform_batch() { return std::make_unique<UniformBatch>(); }

std::unique_ptr<BatchingPolicy> make_proportional_batch(const BatchBounds& bounds) {
  return std::make_unique<ProportionalBatch>(bounds);
}

std::unique_ptr<BatchingPolicy> make_dynamic_batch(const DynamicBatch::Settings& settings) {
  return std::make_unique<DynamicBatch>(settings);
}

std::unique_ptr<BatchingPolicy> make_dbs_batch(const BatchBounds& bounds) {
  return std::make_unique<DbsBatch>(bounds);
}

std::unique_ptr<BatchingPolicy> make_lb_bsp_batch(const LbBspBatch::Settings& settings) {
  return std::make_unique<LbBspBatch>(settings);
}

std::unique_ptr<BatchingPolicy> make_stream_rate_batch(const BatchBounds& bounds) {
  return std::make_unique<StreamRateBatch>(bounds);
}

}  // namespace policies
