// Questions about policies for tests, read from files as the program reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/advise/policy_advice.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {

inline const std::filesystem::path data_folder = tests::source_dir() + "/scenarios";

/// One message of 4 MB in a step of 30 ms that nothing hides: figures can be followed by hand.
inline const std::string by_hand =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
    "training: {batch: 32, epochs: 2, samples: 12800}\n"
    "compression: {times: [{method: topk, ratio: 10 %, time: 0 s}, {method: lwtopk, ratio: 10 %, time: 0 "
    "s}]}\n"
    "exchange: {overlap: false, first_bucket: 0 B, bucket: 0 B}\n";

/// The question that a text asks, which must be readable.
inline scenario::PolicyQuestion asked(const std::string& text,
                                      const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  auto question = scenario::read_policy_question(scratch.write("s.yaml", text), settings, data_folder);
  EXPECT_TRUE(question) << (question ? "" : question.error().text());
  return question ? std::move(*question) : scenario::PolicyQuestion{};
}

/// Answer to the question, which there must be.
inline AdvisedPolicies answered(const scenario::PolicyQuestion& question) {
  auto advised = advise_policies(question, data_folder, {.jobs = 2});
  EXPECT_TRUE(advised) << (advised ? "" : advised.error().text());
  return advised ? std::move(*advised) : AdvisedPolicies{};
}

/// The simulated candidate with this method and collective, which must exist.
inline const AdvisedPolicy& played_with(const AdvisedPolicies& advised, const std::string& compression,
                                        const std::string& collective) {
  for (const AdvisedPolicy& policy : advised.played) {
    if (policy.candidate->compression == compression && policy.candidate->collective == collective)
      return policy;
  }
  ADD_FAILURE() << "not played: " << compression << " by " << collective;
  return advised.played.front();
}

}  // namespace sim::advise
