// Which candidates cannot be represented by some of their steps.
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "policies/selsync.hpp"
#include "sim/scenario/checks.hpp"

namespace sim::scenario {
namespace {

std::string candidate_error(const Scenario& candidate) {
  const auto checked =
      check_simulated_in_part(candidate.exchange.synchronisation, candidate.exchange.compression,
                              candidate.learner, candidate.work.training.steps);
  return checked ? "accepted" : checked.error().what;
}

TEST(ChecksPolicyAdvice, ExchangesInAFixedRhythmAreToldFromSomeSteps) {
  Scenario candidate;
  for (const char* method : {"bsp", "periodic", "easgd", "diloco"}) {
    candidate.exchange.synchronisation = *policies::find_synchronisation(method);
    EXPECT_EQ(candidate_error(candidate), "accepted");
  }
}

TEST(ChecksPolicyAdvice, ExchangesThatChangeInTheCourseOfATrainingAreNot) {
  Scenario candidate;
  candidate.exchange.synchronisation = *policies::find_synchronisation("post_local");
  EXPECT_EQ(candidate_error(candidate),
            "`post_local` changes what it exchanges once in a training, and a sample of steps does not "
            "predict the whole");
  candidate.learner.kind = learning::learners::live();
  EXPECT_EQ(candidate_error(candidate), "accepted");
}

TEST(ChecksPolicyAdvice, MergesOfWhatArrivesInTimeAreNot) {
  Scenario candidate;
  candidate.exchange.synchronisation = *policies::find_synchronisation("decoupled_diloco");
  EXPECT_EQ(candidate_error(candidate),
            "`decoupled_diloco` merges what arrives in time, and a sample of steps does not predict how much "
            "that is");
  candidate.learner.kind = learning::learners::live();
  EXPECT_EQ(candidate_error(candidate), "accepted");
}

TEST(ChecksPolicyAdvice, ATrainingThatEndsBeforeItsFirstExchangeIsNoCandidate) {
  Scenario candidate;
  candidate.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 101});
  candidate.work.training.steps = 100;
  EXPECT_EQ(candidate_error(candidate),
            "the training ends after 100 steps, before the first exchange, after 101");
  candidate.learner.kind = learning::learners::live();
  EXPECT_EQ(candidate_error(candidate),
            "the training ends after 100 steps, before the first exchange, after 101");
  candidate.work.training.steps = 101;
  EXPECT_EQ(candidate_error(candidate), "accepted");
}

TEST(ChecksPolicyAdvice, WhatDecidesByGradientsIsNot) {
  Scenario candidate;
  candidate.exchange.synchronisation =
      policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 0.1});
  EXPECT_EQ(candidate_error(candidate), "the effect of `selsync` on steps and accuracy needs a live learner");
  candidate.exchange.synchronisation = {};
  candidate.exchange.compression.policy = *policies::find_compression("gravac");
  EXPECT_EQ(candidate_error(candidate),
            "`gravac` decides by gradients what to send, and a sample of steps does not predict the total "
            "sent");
  candidate.exchange.compression.policy = {};
  candidate.exchange.compression.warm_up.epochs = 4;
  EXPECT_EQ(candidate_error(candidate),
            "`warm_up` sends less from epoch to epoch, and a sample of steps does not predict the total "
            "sent");
  candidate.learner.kind = learning::learners::live();
  EXPECT_EQ(candidate_error(candidate), "accepted");
}

}  // namespace
}  // namespace sim::scenario
