// A policy of another program: its host, which is asked, and its failures.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"
#include "policies/compression_policy.hpp"
#include "policies/synchronisation_policy.hpp"
#include "settings/fields.hpp"

namespace policies {

/// Failure of a policy of another program: the run cannot go on.
class PolicyFailure : public std::runtime_error {
 public:
  explicit PolicyFailure(netmodels::Error error)
      : std::runtime_error(error.text()), error_(std::move(error)) {}
  [[nodiscard]] const netmodels::Error& error() const { return error_; }

 private:
  netmodels::Error error_;
};

/// Policy of another program, by its name and the hash of its source.
struct ExternalSource {
  std::string name;    ///< name of the policy in the other program
  std::string sha256;  ///< hash of its source, as hexadecimal digits

  bool operator==(const ExternalSource&) const = default;
};

/// Keys `name` and `sha256`.
void describe_source(settings::Fields& fields, ExternalSource& source);

/// Refuses a policy that this process cannot ask, or whose source has changed.
std::optional<settings::Problem> problem_with_source(const ExternalSource& source);

/// Decision of another program, not yet checked.
struct ExternalDecision {
  std::string kind;    ///< name of a `Synchronisation`
  bool dense = false;  ///< as in `Decision`
};

/// Question to a synchronisation policy of another program.
struct ExternalQuestion {
  std::string_view name;                   ///< policy that is asked
  std::int64_t run = 0;                    ///< number of the run, each of which has a policy of its own
  const SynchronisationObservation& seen;  ///< state before the step
};

/// Question to a compression policy of another program.
struct RatioQuestion {
  std::string_view name;  ///< policy that is asked
  std::int64_t run = 0;   ///< number of the run, each of which has a policy of its own
  const CompressionObservation& seen;
  const std::optional<CompressionOutcome>& last;  ///< outcome of the step before; nothing: the first step
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
  /// Kept / original of the next message, not yet checked.
  /// @throws PolicyFailure  where the policy fails
  virtual double ratio(const RatioQuestion& question) = 0;
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

/// Host of the process; null: it has none.
PolicyHost* installed_policy_host();

}  // namespace policies
