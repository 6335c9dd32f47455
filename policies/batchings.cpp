// The rows of the batching policies.
#include <array>
#include <concepts>
#include <utility>

#include "policies/batch_shares.hpp"
#include "policies/batching_row.hpp"
#include "policies/dynamic_batch.hpp"
#include "policies/lb_bsp_batch.hpp"

namespace policies {
namespace {

consteval settings::Demands demands_of(const BatchingTraits& traits) {
  using enum settings::Capability;
  if (!traits.decides) return {};
  settings::Demands demands{.needs = {known_batch_effect, same_workers, one_level, composed_step},
                            .denies = {uniform_batch},
                            .offers = {unequal_batches}};
  if (traits.follows_streams) demands.needs |= {streams};
  return demands;
}

/// The members of a policy's settings set further facts of its row.
template <class Policy, class S>
consteval BatchingRow batching_row(const settings::Row& facts, const BatchingTraits& traits = {}) {
  BatchingRow made{facts, traits};
  made.demands = demands_of(traits);
  made.settings = &settings::owned<S>;
  made.make = [](const void* settings, const BatchBounds& bounds) -> std::unique_ptr<BatchingPolicy> {
    return std::make_unique<Policy>(*static_cast<const S*>(settings), bounds);
  };
  if constexpr (std::same_as<S, BatchChanges>)
    made.changes = [](const void* settings) -> const BatchChanges& {
      return *static_cast<const S*>(settings);
    };
  else if constexpr (requires(const S& s) { s.changes; })
    made.changes = [](const void* settings) -> const BatchChanges& {
      return static_cast<const S*>(settings)->changes;
    };
  return made;
}

constexpr std::array batching_rows{
    batching_row<UniformBatch, settings::None>(
        {"uniform", "the same number of samples on every worker", "", "uniform"}, {.decides = false}),
    batching_row<ProportionalBatch, ProportionalBatch::Settings>(
        {"proportional", "samples by the stated speed of each worker, once",
         "Tyagi & Sharma, IEEE ACSOS 2020", "proportional"}),
    batching_row<DynamicBatch, DynamicBatch::Settings>(
        {"dynamic", "samples move from slow workers to fast ones until all take equally long",
         "Tyagi & Sharma, IEEE ACSOS 2020; OmniLearn, IEEE TPDS 2025", "dynamic"}),
    batching_row<DbsBatch, DbsBatch::Settings>(
        {"dbs", "samples by each worker's speed in the epoch before", "Ye et al., arXiv:2007.11831", "dbs"}),
    batching_row<LbBspBatch, LbBspBatch::Settings>(
        {"lb_bsp", "samples by each worker's predicted speed (an average for the predictor)",
         "Chen et al., arXiv:1806.02508", "lb_bsp"}),
    batching_row<StreamRateBatch, StreamRateBatch::Settings>(
        {"stream_rate", "each device takes the samples of one second of its own stream",
         "Tyagi & Swany, ScaDLES, IEEE BigData 2022", "stream_rate"},
        {.follows_streams = true}),
};

}  // namespace

std::span<const BatchingRow> batchings() { return batching_rows; }

const BatchingRow* find_batching(std::string_view name) { return settings::find_row(batchings(), name); }

void describe(settings::Fields& fields, BatchingChoice& choice) {
  choice.describe_choice(
      fields,
      {.name = "policy",
       .doc = "Policy for the samples of each worker: a row of `sim list policies`. `uniform` keeps what "
              "`training` states.",
       .fallback = "uniform"},
      batchings(), settings::Layout::beside);
}

BatchChanges changes_of(const BatchingChoice& choice) {
  return choice->changes == nullptr ? BatchChanges{} : choice->changes(choice.settings());
}

std::unique_ptr<BatchingPolicy> make_policy(const BatchingChoice& choice,
                                            std::vector<std::optional<int>> most_of_worker) {
  if (!choice->traits.decides) return nullptr;
  const BatchChanges changes = changes_of(choice);
  return choice->make(choice.settings(), {changes.min, changes.max, std::move(most_of_worker)});
}

}  // namespace policies
