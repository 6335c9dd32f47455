// Which candidates cannot be told from some of their steps.
#include "sim/scenario/checks_policy_advice.hpp"

#include <gtest/gtest.h>

namespace sim::scenario {
namespace {

std::string refusal(const Scenario& candidate) {
  const auto checked = check_played_in_part(candidate);
  return checked ? "accepted" : checked.error().what;
}

TEST(ChecksPolicyAdvice, ExchangesInAFixedRhythmAreToldFromSomeSteps) {
  Scenario candidate;
  for (const auto method : {SynchronisationMethod::bsp, SynchronisationMethod::periodic,
                            SynchronisationMethod::easgd, SynchronisationMethod::diloco}) {
    candidate.synchronisation.method = method;
    EXPECT_EQ(refusal(candidate), "accepted");
  }
}

TEST(ChecksPolicyAdvice, WhatDecidesByGradientsIsNot) {
  Scenario candidate;
  candidate.synchronisation.method = SynchronisationMethod::selsync;
  EXPECT_EQ(refusal(candidate), "what `selsync` does to steps and accuracy only a live learner shows");
  candidate.synchronisation.method = SynchronisationMethod::bsp;
  candidate.compression.policy = CompressionPolicyName::gravac;
  EXPECT_EQ(refusal(candidate),
            "`gravac` decides by gradients what is sent, and some steps do not tell what it sends in all");
  candidate.compression.policy = CompressionPolicyName::fixed;
  candidate.compression.warm_up.epochs = 4;
  EXPECT_EQ(refusal(candidate),
            "`warm_up` sends less from epoch to epoch, and some steps do not tell what it sends in all");
  candidate.learner.kind = LearnerKind::live;
  EXPECT_EQ(refusal(candidate), "accepted");
}

}  // namespace
}  // namespace sim::scenario
