// The rows of the compression policies.
#include <array>

#include "policies/accordion.hpp"
#include "policies/compression_row.hpp"
#include "policies/external_compression.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/gravac.hpp"
#include "policies/scadles_compression.hpp"
#include "policies/stated_compression.hpp"

namespace policies {
namespace {

consteval settings::Demands demands_of(const CompressionTraits& traits) {
  using enum settings::Capability;
  if (!traits.decides) return {};
  settings::Demands demands{.needs = {gradients, gradients_every_step, whole_states, gradient_buckets,
                                      same_workers, one_level, composed_step},
                            .denies = {one_compression, dense_gradients},
                            .offers = {compressed, compressing, unsent_values}};
  if (traits.chooses_ratio) demands.denies |= {stated_ratio};
  if (traits.chooses_method()) {
    demands.denies |= {stated_method};
    demands.offers |= {sparse, selected_worker};
  } else {
    demands.needs |= {sparse};
  }
  return demands;
}

/// The members of a policy's settings set further facts of its row.
template <class Policy, class S>
consteval CompressionRow compression_row(const settings::Row& facts, const CompressionTraits& traits = {}) {
  CompressionRow made{facts, traits};
  made.demands = demands_of(traits);
  made.settings = &settings::owned<S>;
  made.make = [](const void* settings, const CompressionJob& job) -> std::unique_ptr<CompressionPolicy> {
    return std::make_unique<Policy>(*static_cast<const S*>(settings), job);
  };
  if constexpr (requires(const S& s) { s.first_ratio(); })
    made.first_ratio = [](const void* settings) { return static_cast<const S*>(settings)->first_ratio(); };
  return made;
}

constexpr std::array compression_rows{
    compression_row<FixedCompression, settings::None>(
        {"fixed", "one method at one ratio for the whole training", "", "{policy: fixed}"},
        {.decides = false, .chooses_ratio = false}),
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
        {.chooses_ratio = false, .needs_gains = true}),
    compression_row<Gravac, Gravac::Settings>(
        {.name = "gravac",
         .summary = "the factor climbs while the gradient keeps its energy and throughput grows",
         .source = "Tyagi & Swany, IEEE CLOUD 2023",
         .example = "{policy: gravac, method: topk}",
         .settings_doc = "Settings of GraVAC."},
        {.needs_gains = true}),
    compression_row<FlexibleCompression, FlexibleCompression::Settings>(
        {.name = "flexible",
         .summary = "all-gather or AR-Topk by their cost, the ratio by exchange time against gain",
         .source = "Tyagi & Swany, IEEE BigData 2023",
         .example = "{policy: flexible, flexible: {ratios: [10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]}}",
         .settings_doc = "Settings of the flexible policy."},
        {.methods = FlexibleCompression::methods, .needs_gains = true, .warms_up = true}),
    compression_row<ExternalCompression, ExternalCompression::Settings>(
        {.name = "external",
         .summary = "an object of a Python program chooses the ratio of each step",
         .source = "",
         .example = "{policy: external, method: topk, external: {name: Mine, sha256: 5feceb66ffc86f38}}",
         .settings_doc = "Policy of a Python program."},
        {.needs_gains = true}),
};

}  // namespace

std::span<const CompressionRow> compressions() { return compression_rows; }

const CompressionRow* find_compression(std::string_view name) {
  return settings::find_row(compressions(), name);
}

void describe(settings::Fields& fields, CompressionPolicyChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "policy",
                          .doc = "Policy for method and ratio: a row of `sim list policies`.",
                          .fallback = "fixed"},
                         compressions(), settings::Layout::under);
}

std::unique_ptr<CompressionPolicy> make_policy(const CompressionPolicyChoice& choice,
                                               const CompressionJob& job) {
  const bool warms_up = job.warm_up.any();
  if (!choice->traits.decides && !warms_up) return nullptr;
  auto policy = choice->make(choice.settings(), job);
  if (!warms_up || choice->traits.warms_up) return policy;
  CompressionChoice first = job.stated;
  if (choice->first_ratio != nullptr) first.ratio = choice->first_ratio(choice.settings());
  return std::make_unique<RatioWarmUp>(job.warm_up, first, std::move(policy));
}

}  // namespace policies
