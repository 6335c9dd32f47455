// The catalogue row of a compression policy, and the choice of one with its settings.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policies/compression_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// Properties of a policy that other code tests instead of its name.
struct CompressionTraits {
  bool decides = true;        ///< the method or ratio may change in each step; false: always as stated
  bool chooses_ratio = true;  ///< false: between the stated ratio and the dense gradient
  /// Methods that the policy chooses from; empty: the stated one.
  std::span<const std::string_view> methods{};
  bool needs_gains = false;  ///< asks the learner for the gains of what it may send
  bool warms_up = false;     ///< follows the schedule of the warm-up itself

  [[nodiscard]] constexpr bool chooses_method() const { return !methods.empty(); }
};

/// One row.
struct CompressionRow : settings::Row {
  CompressionTraits traits;
  /// The ratio at which a warm-up arrives; null: the stated one.
  double (*first_ratio)(const void* settings) = nullptr;
  std::unique_ptr<CompressionPolicy> (*make)(const void* settings, const CompressionJob& job) = nullptr;
};

/// Every compression policy, in a stable order; the first, which is the default, sends what is stated.
std::span<const CompressionRow> compressions();
inline const CompressionRow& default_row(std::type_identity<CompressionRow>) {
  return compressions().front();
}

/// A policy with its settings: `policy: gravac` and the map `gravac` next to it.
using CompressionPolicyChoice = settings::RowChoice<CompressionRow>;

/// @returns the row, or nullptr when there is no such name
const CompressionRow* find_compression(std::string_view name);

/// A choice by name, for code and tests that state one: `compression("gravac", Gravac::Settings{})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
CompressionPolicyChoice compression(std::string_view name, S settings) {
  return {*find_compression(name), std::move(settings)};
}

void describe(settings::Fields& fields, CompressionPolicyChoice& choice);

/// Makes the policy, with the warm-up before it, where there is one.
/// @returns nullptr where each step sends what is stated
std::unique_ptr<CompressionPolicy> make_policy(const CompressionPolicyChoice& choice,
                                               const CompressionJob& job);

}  // namespace policies
