// A synchronisation policy of another program, which a host asks in each step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "netmodels/result.hpp"
#include "policies/synchronisation_row.hpp"

namespace policies {

constexpr auto names_of(Looks) {
  using enum settings::Capability;
  return std::to_array<settings::Named<Looks>>(
      {{"nothing", Looks::nothing},
       {"loss", Looks::loss, {.needs = {losses}}},
       {"gradients", Looks::gradients, {.needs = {gradients}}},
       {"learning_rate", Looks::learning_rate, {.needs = {learning_rate}}},
       {"models", Looks::models, {.needs = {live_models}}}});
}

/// Failure of a policy of another program: the run cannot go on.
class PolicyFailure : public std::runtime_error {
 public:
  explicit PolicyFailure(netmodels::Error error)
      : std::runtime_error(error.text()), error_(std::move(error)) {}
  [[nodiscard]] const netmodels::Error& error() const { return error_; }

 private:
  netmodels::Error error_;
};

/// Decision of another program, not yet checked.
struct ExternalDecision {
  std::string kind;    ///< name of a `Synchronisation`
  bool dense = false;  ///< as in `Decision`
};

/// Question to a policy of another program.
struct ExternalQuestion {
  std::string_view name;                   ///< policy that is asked
  std::int64_t run = 0;                    ///< number of the run, each of which has a policy of its own
  const SynchronisationObservation& seen;  ///< state before the step
};

/// Knows the policies of another program, and asks them.
class PolicyHost {
 public:
  virtual ~PolicyHost() = default;
  /// SHA-256 of the source of this policy; nothing where the host has none of this name.
  [[nodiscard]] virtual std::optional<std::string> source_hash(std::string_view name) const = 0;
  /// Number of a run that begins.
  virtual std::int64_t begin_run() = 0;
  /// @throws PolicyFailure  where the policy fails
  virtual ExternalDecision decide(const ExternalQuestion& question) = 0;
};

/// Makes a host that of this process while the object lives; a process has at most one.
class InstalledPolicyHost {
 public:
  /// @param host  outlives the object
  explicit InstalledPolicyHost(PolicyHost& host);
  ~InstalledPolicyHost();
  InstalledPolicyHost(const InstalledPolicyHost&) = delete;
  InstalledPolicyHost& operator=(const InstalledPolicyHost&) = delete;
};

/// Asks the host of the process for each decision, and refuses those that the settings rule out: with
/// `averaged: gradients` a step stays local or averages gradients, with `averaged: parameters` it stays local
/// or averages parameters, after the step or before.
///
/// Leaves out: what-ifs: a copy asks the same policy, whose memory is not forked; elastic means, outer steps
///             and momenta.
class External final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::string name;              ///< name of the policy in the other program
    std::string sha256;            ///< hash of its source, as hexadecimal digits
    Looks looks = Looks::nothing;  ///< inputs that it needs of a learner
    Averaged averaged = Averaged::parameters;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return averaged == Averaged::parameters; }
    /// Refuses a policy that this process cannot ask, or whose source has changed.
    [[nodiscard]] std::optional<settings::Problem> problem_with(int workers) const;
  };
  explicit External(const Settings& settings);

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<External>(*this);
  }
  /// @throws PolicyFailure  where the policy fails, or decides what no step can do
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  std::int64_t run_ = 0;
};

void describe(settings::Fields& fields, External::Settings& settings);

/// Whether another program decides.
inline bool is_external(const SynchronisationRow& row) {
  return row.settings == &settings::owned<External::Settings>;
}

/// Inputs of a policy that only a learner provides: those of its settings, else those of its row.
inline Looks looks_of(const SynchronisationChoice& choice) {
  return is_external(choice.row()) ? choice.as<External::Settings>().looks : choice->traits.looks;
}

}  // namespace policies
