// The catalogue row of a synchronisation policy, and the choice of one with its settings.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/decoupled_diloco.hpp"
#include "policies/parameter_server.hpp"
#include "policies/synchronisation_policy.hpp"
#include "settings/choice.hpp"
#include "settings/moment.hpp"

namespace policies {

/// The inputs of a policy that only a learner provides.
enum class Looks : std::uint8_t { nothing, loss, gradients, learning_rate, models };

/// Properties of a policy that other code tests instead of its name.
struct SynchronisationTraits {
  Looks looks = Looks::nothing;
  bool every_step = false;  ///< gradients are exchanged in every step
  bool flags = false;       ///< each worker sends one byte to all others in each step
  bool steps_assumed =
      false;  ///< as many steps are assumed without a live learner as exchanging in each one takes
  bool switches_to_models = false;  ///< gradients are exchanged first, models later
  bool exchanges_momenta = false;   ///< whether its steps are those of an optimizer that accumulates momenta,
                                    ///< and it decides which exchanges are compressed
  std::string_view local_steps_key = "local_from";  ///< key that states from when on steps are local
  bool keeps_outer_model = false;  ///< workers keep the last common model, and a momentum for it
};

/// One row.
struct SynchronisationRow : settings::Row {
  SynchronisationTraits traits;
  /// Steps from one exchange to the next, where that is fixed.
  std::optional<std::int64_t> (*period)(const void* settings) = nullptr;
  bool (*exchanges_models)(const void* settings) = nullptr;
  /// Null for policies that exchange whole models at once.
  Streaming (*streaming)(const void* settings) = nullptr;
  /// Share of the workers, in (0, 1], that is drawn for each round, from one exchange to the next: only they
  /// train and exchange in it. Null for policies that draw no workers.
  double (*drawn_share)(const void* settings) = nullptr;
  /// Null for policies without a moment from which on steps are local.
  settings::Moment (*local_from)(const void* settings) = nullptr;
  /// The ways in which steps end; null where all that exchange do so in one way.
  std::vector<StepKind> (*kinds)(const void* settings) = nullptr;
  /// Time of deciding, of each worker and step; null for policies that decide at once.
  netmodels::Seconds (*deciding_time)(const void* settings) = nullptr;
  /// Null for policies without a server that takes gradients.
  ParameterServer (*server)(const void* settings) = nullptr;
  /// Null for policies without a server that merges models of workers at their own pace.
  MergingServer (*merging_server)(const void* settings) = nullptr;
  std::optional<settings::Problem> (*problem_with)(const void* settings, int workers) = nullptr;
  std::unique_ptr<SynchronisationPolicy> (*make)(const void* settings) = nullptr;
};

/// Every synchronisation policy, in a stable order; the first, which is the default, exchanges gradients in
/// each step.
std::span<const SynchronisationRow> synchronisations();
inline const SynchronisationRow& default_row(std::type_identity<SynchronisationRow>) {
  return synchronisations().front();
}

/// A policy with its settings: the map under `synchronisation`.
using SynchronisationChoice = settings::RowChoice<SynchronisationRow>;

/// @returns the row, or nullptr when there is no such name
const SynchronisationRow* find_synchronisation(std::string_view name);

/// A choice by name, for code and tests that state one: `synchronisation("periodic",
/// Periodic::Settings{20})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
SynchronisationChoice synchronisation(std::string_view name, S settings) {
  return {*find_synchronisation(name), std::move(settings)};
}

void describe(settings::Fields& fields, SynchronisationChoice& choice);
constexpr std::string_view choice_key(std::type_identity<SynchronisationChoice>) { return "method"; }

/// Whether workers exchange with a server by themselves and share no step.
inline bool is_asynchronous(const SynchronisationChoice& choice) {
  return choice->server != nullptr || choice->merging_server != nullptr;
}
/// The server that merges models of workers at their own pace; nothing where none does.
inline std::optional<MergingServer> merging_server_of(const SynchronisationChoice& choice) {
  if (choice->merging_server == nullptr) return std::nullopt;
  return choice->merging_server(choice.settings());
}
/// Whether there is a server on a host of its own.
inline bool adds_a_host(const SynchronisationChoice& choice) {
  if (const auto merging = merging_server_of(choice)) return merging->host == MergingHost::own;
  return choice->server != nullptr && choice->server(choice.settings()).host == ServerHost::own;
}
/// Whether what is exchanged are models, not gradients.
inline bool exchanges_models(const SynchronisationChoice& choice) {
  return choice->exchanges_models != nullptr && choice->exchanges_models(choice.settings());
}
/// Share of the workers that is drawn for each round; 1 where all take part in each.
inline double drawn_share(const SynchronisationChoice& choice) {
  return choice->drawn_share == nullptr ? 1 : choice->drawn_share(choice.settings());
}
/// Fragments of models, and steps that their exchanges overlap.
inline Streaming streaming_of(const SynchronisationChoice& choice) {
  return choice->streaming == nullptr ? Streaming{} : choice->streaming(choice.settings());
}
/// Steps from one exchange to the next where that is fixed, else 1.
inline std::int64_t period_of(const SynchronisationChoice& choice) {
  return choice->period == nullptr ? 1 : choice->period(choice.settings()).value_or(1);
}
/// Time that each worker takes in every step until it knows what to ask for.
inline netmodels::Seconds deciding_time_of(const SynchronisationChoice& choice) {
  return choice->deciding_time == nullptr ? netmodels::Seconds{} : choice->deciding_time(choice.settings());
}
/// First local step or epoch, for policies that exchange in every step before; nothing for others.
inline std::optional<settings::Moment> local_from(const SynchronisationChoice& choice) {
  if (choice->local_from == nullptr) return std::nullopt;
  return choice->local_from(choice.settings());
}
/// The ways in which steps end, where they differ in more than whether anything is exchanged; else empty.
inline std::vector<StepKind> step_kinds(const SynchronisationChoice& choice) {
  return choice->kinds == nullptr ? std::vector<StepKind>{} : choice->kinds(choice.settings());
}
inline std::unique_ptr<SynchronisationPolicy> make_policy(const SynchronisationChoice& choice) {
  return choice->make(choice.settings());
}

}  // namespace policies
