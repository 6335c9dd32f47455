// Rows of the policies and how each is made.
#include "policies/catalogue.hpp"

#include <array>
#include <utility>

#include "policies/cheapest_collective.hpp"
#include "policies/every_step.hpp"
#include "policies/fixed_collective.hpp"
#include "policies/fixed_compression.hpp"
#include "policies/periodic.hpp"
#include "policies/ratio_warm_up.hpp"

namespace policies {
namespace {

constexpr std::array table{
    PolicyRow{"synchronisation", "bsp", "all workers average gradients in every step", "Valiant 1990"},
    PolicyRow{"synchronisation", "periodic", "local steps, an exchange in every H-th (local SGD, FedAvg)",
              "Stich 2019; McMahan et al. 2017"},
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

std::unique_ptr<CompressionPolicy> with_warm_up(const RatioSchedule& schedule, const CompressionChoice& first,
                                                std::unique_ptr<CompressionPolicy> then) {
  return std::make_unique<RatioWarmUp>(schedule, first, std::move(then));
}

}  // namespace policies
