// The catalogue row of a batching policy, and the choice of one with its settings.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policies/batching_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// Properties of a policy that other code tests instead of its name.
struct BatchingTraits {
  bool decides = true;           ///< false: each worker keeps the batch that the training states
  bool follows_streams = false;  ///< needs a stream for each worker
};

/// One row.
struct BatchingRow : settings::Row {
  BatchingTraits traits;
  /// Null where batches never change.
  const BatchChanges& (*changes)(const void* settings) = nullptr;
  std::unique_ptr<BatchingPolicy> (*make)(const void* settings, const BatchBounds& bounds) = nullptr;
};

/// Every batching policy, in a stable order; the first, which is the default, never changes a batch.
std::span<const BatchingRow> batchings();
inline const BatchingRow& default_row(std::type_identity<BatchingRow>) { return batchings().front(); }

/// A policy with its settings: the map under `batching`.
using BatchingChoice = settings::RowChoice<BatchingRow>;

/// @returns the row, or nullptr when there is no such name
const BatchingRow* find_batching(std::string_view name);

/// A choice by name, for code and tests that state one: `batching("dynamic", DynamicBatch::Settings{})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
BatchingChoice batching(std::string_view name, S settings) {
  return {*find_batching(name), std::move(settings)};
}

void describe(settings::Fields& fields, BatchingChoice& choice);
constexpr std::string_view choice_key(std::type_identity<BatchingChoice>) { return "policy"; }

/// Settings of every change of batches; the defaults where batches never change.
BatchChanges changes_of(const BatchingChoice& choice);

/// @param most_of_worker  by worker: the batch that fits its memory; may be short
/// @returns nullptr where batches never change
std::unique_ptr<BatchingPolicy> make_policy(const BatchingChoice& choice,
                                            std::vector<std::optional<int>> most_of_worker);

}  // namespace policies
