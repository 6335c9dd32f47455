// A compression ratio that another program chooses in each step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "policies/compression_row.hpp"
#include "policies/policy_host.hpp"

namespace policies {

/// Asks the host of the process for the ratio of each step; a ratio of 1 is the dense gradient. The method is
/// the stated one.
///
/// Leaves out: trials and experiments: the gain of a ratio is seen after it was sent; what-ifs: a copy asks
///             the same policy, whose memory is not forked.
class ExternalCompression final : public CompressionPolicy {
 public:
  struct Settings {
    ExternalSource source;

    bool operator==(const Settings&) const = default;
  };
  /// @param job  `stated.method` is a sparse row of the wire formats
  ExternalCompression(const Settings& settings, const CompressionJob& job);

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<ExternalCompression>(*this);
  }
  /// @throws PolicyFailure  where the policy fails, or its ratio is not in (0, 1]
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome& outcome) override { last_ = outcome; }

 private:
  Settings settings_;
  kernels::Method method_;
  std::int64_t run_ = 0;
  std::optional<CompressionOutcome> last_;
};

void describe(settings::Fields& fields, ExternalCompression::Settings& settings);
std::optional<settings::Problem> problem_of(const ExternalCompression::Settings& settings);

/// Whether another program decides.
inline bool is_external(const CompressionRow& row) {
  return row.settings == &settings::owned<ExternalCompression::Settings>;
}

}  // namespace policies
