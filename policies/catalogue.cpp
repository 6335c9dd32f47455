// Rows of the policies and how each is made.
#include "policies/catalogue.hpp"

#include <array>
#include <utility>

#include "policies/adacomm.hpp"
#include "policies/cheapest_collective.hpp"
#include "policies/dbs_batch.hpp"
#include "policies/diloco.hpp"
#include "policies/easgd.hpp"
#include "policies/every_step.hpp"
#include "policies/fedavg.hpp"
#include "policies/fixed_collective.hpp"
#include "policies/fixed_compression.hpp"
#include "policies/goodput.hpp"
#include "policies/periodic.hpp"
#include "policies/profile_all.hpp"
#include "policies/proportional_batch.hpp"
#include "policies/ratio_warm_up.hpp"
#include "policies/stream_rate_batch.hpp"
#include "policies/uniform_batch.hpp"

namespace policies {
namespace {

constexpr std::array table{
    PolicyRow{"synchronisation", "bsp", "all workers average gradients in every step", "Valiant 1990"},
    PolicyRow{"synchronisation", "periodic", "local steps, an exchange in every H-th (local SGD)",
              "Stich 2019"},
    PolicyRow{"synchronisation", "fedavg", "local epochs, then a mean over some of the workers",
              "McMahan et al. 2017"},
    PolicyRow{"synchronisation", "adacomm", "local steps, fewer between two exchanges as the loss falls",
              "Wang & Joshi, MLSys 2019"},
    PolicyRow{"synchronisation", "easgd", "local steps of workers that are drawn to a centre",
              "Zhang et al., NIPS 2015"},
    PolicyRow{"synchronisation", "diloco",
              "local steps, then an outer step with momentum on what they changed", "Douillard et al. 2023"},
    PolicyRow{"synchronisation", "selsync", "an exchange when any worker's gradient has changed enough",
              "Tyagi & Swany, IEEE CLUSTER 2023"},
    PolicyRow{"synchronisation", "ssp",
              "a parameter server; the fastest worker waits when it is too far ahead of the slowest",
              "Ho et al., NeurIPS 2013"},
    PolicyRow{"synchronisation", "asp", "a parameter server; nobody waits", "Recht et al., NeurIPS 2011"},
    PolicyRow{"compression", "fixed", "one method at one ratio from beginning to end", ""},
    PolicyRow{"compression", "accordion",
              "less compression in epochs in which the gradient's norm changes fast",
              "Agarwal et al., MLSys 2021"},
    PolicyRow{"compression", "accordion_per_step", "the same from step to step, on a smoothed norm",
              "Tyagi & Swany, IEEE CLOUD 2023, released code"},
    PolicyRow{"compression", "scadles",
              "compressed where little of the gradient's energy is lost, else dense",
              "Tyagi & Swany, IEEE BigData 2022"},
    PolicyRow{"compression", "gravac",
              "the factor climbs while the gradient keeps its energy and throughput grows",
              "Tyagi & Swany, IEEE CLOUD 2023"},
    PolicyRow{"compression", "flexible",
              "all-gather or AR-Topk by their cost, the ratio by exchange time against gain",
              "Tyagi & Swany, IEEE BigData 2023"},
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

std::span<const PolicyRow> catalogue() { return table; }

std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis) {
  if (collective == "auto") return std::make_unique<CheapestCollective>(hysteresis);
  return std::make_unique<FixedCollective>();
}

std::unique_ptr<SynchronisationPolicy> make_every_step() { return std::make_unique<EveryStep>(); }

std::unique_ptr<SynchronisationPolicy> make_periodic(std::int64_t every, Synchronisation exchange) {
  return std::make_unique<Periodic>(every, exchange);
}

std::unique_ptr<SynchronisationPolicy> make_fedavg(double every_epochs, bool sampled) {
  return std::make_unique<FedAvg>(every_epochs, sampled);
}

std::unique_ptr<SynchronisationPolicy> make_adacomm(std::int64_t first, Synchronisation exchange) {
  return std::make_unique<AdaComm>(first, exchange);
}

std::unique_ptr<SynchronisationPolicy> make_easgd(std::int64_t every) {
  return std::make_unique<Easgd>(every);
}

std::unique_ptr<SynchronisationPolicy> make_diloco(std::int64_t every) {
  return std::make_unique<DiLoCo>(every);
}

std::unique_ptr<SynchronisationPolicy> make_selsync(const SelSync::Settings& settings) {
  return std::make_unique<SelSync>(settings);
}

std::unique_ptr<CompressionPolicy> make_fixed_compression(const CompressionChoice& choice) {
  return std::make_unique<FixedCompression>(choice);
}

std::unique_ptr<CompressionPolicy> make_accordion(const Accordion::Settings& settings) {
  return std::make_unique<Accordion>(settings);
}

std::unique_ptr<CompressionPolicy> make_accordion_per_step(const AccordionPerStep::Settings& settings) {
  return std::make_unique<AccordionPerStep>(settings);
}

std::unique_ptr<CompressionPolicy> make_scadles_compression(const ScadlesCompression::Settings& settings) {
  return std::make_unique<ScadlesCompression>(settings);
}

std::unique_ptr<CompressionPolicy> make_gravac(const Gravac::Settings& settings) {
  return std::make_unique<Gravac>(settings);
}

std::unique_ptr<CompressionPolicy> make_flexible_compression(const FlexibleCompression::Settings& settings) {
  return std::make_unique<FlexibleCompression>(settings);
}

std::unique_ptr<PlanningPolicy> make_scavenger(const Scavenger::Settings& settings) {
  return std::make_unique<Scavenger>(settings);
}

std::unique_ptr<PlanningPolicy> make_profile_all() { return std::make_unique<ProfileAll>(); }

std::unique_ptr<PlanningPolicy> make_bayesian_planner(const BayesianPlanner::Settings& settings) {
  return std::make_unique<BayesianPlanner>(settings);
}

std::unique_ptr<PlanningPolicy> make_goodput() { return std::make_unique<Goodput>(); }

std::unique_ptr<CompressionPolicy> with_warm_up(const RatioSchedule& schedule, const CompressionChoice& first,
                                                std::unique_ptr<CompressionPolicy> then) {
  return std::make_unique<RatioWarmUp>(schedule, first, std::move(then));
}

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
