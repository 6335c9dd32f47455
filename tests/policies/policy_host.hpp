// A host with one policy, which decides as a test says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/external_policy.hpp"

namespace tests {

/// Host of a policy of any source.
class FakePolicyHost final : public policies::PolicyHost {
 public:
  FakePolicyHost(std::string name, std::string hash) : name_(std::move(name)), hash_(std::move(hash)) {}

  [[nodiscard]] std::optional<std::string> source_hash(std::string_view name) const override {
    return name == name_ ? std::optional(hash_) : std::nullopt;
  }
  std::int64_t begin_run() override { return begun_++; }
  policies::ExternalDecision decide(const policies::ExternalQuestion& question) override {
    steps.push_back(question.seen.step);
    runs.push_back(question.run);
    return next;
  }

  double ratio(const policies::RatioQuestion& question) override {
    steps.push_back(question.seen.step);
    runs.push_back(question.run);
    last = question.last;
    return next_ratio;
  }

  policies::ExternalDecision next{"average_parameters", false};  ///< its decision
  double next_ratio = 0.1;                                       ///< its ratio
  std::optional<policies::CompressionOutcome> last;              ///< outcome in the last question
  std::vector<std::int64_t> steps;                               ///< steps of all questions
  std::vector<std::int64_t> runs;                                ///< runs of all questions

 private:
  std::string name_;
  std::string hash_;
  std::int64_t begun_ = 0;
};

}  // namespace tests
