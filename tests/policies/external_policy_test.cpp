// External policies on a host of the test: questions, decisions, refusals.
#include "policies/external_policy.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "policies/synchronisation_row.hpp"
#include "tests/policies/policy_host.hpp"

namespace policies {
namespace {

const External::Settings stated{.source = {"Mine", "abc"}};

std::string message_of(const External::Settings& settings) {
  const auto problem = settings.problem_with(2);
  return problem ? problem->key + ": " + problem->what + "; " + problem->hint : "accepted";
}

TEST(External, IsRefusedWhereNoProgramHasPassedIt) {
  const std::string refusal =
      "name: policy `Mine` was passed by a Python program, and `sim` cannot call it; run the scenario by "
      "`gradsim.run(..., policies=...)`, or choose a policy of `sim list policies`";
  EXPECT_EQ(message_of(stated), refusal);
  tests::FakePolicyHost host("Other", "abc");
  const InstalledPolicyHost installed(host);
  EXPECT_EQ(message_of(stated), refusal) << "a host that knows another";
}

TEST(External, IsRefusedWhereItsSourceHasChanged) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  EXPECT_EQ(message_of(stated), "accepted");
  EXPECT_EQ(
      message_of({.source = {"Mine", "abd"}}),
      "sha256: the source of policy `Mine` has changed: its hash is `abc`; pass the policy as it was, or "
      "write this hash");
}

TEST(External, DecidesAsItsHostSays) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  External policy(stated);
  host.next = {"average_parameters", false};
  const std::array<std::uint32_t, 2> workers{0, 1};
  EXPECT_EQ(policy.decide({7, workers, {}, 0.5}), Synchronisation::average_parameters);
  EXPECT_EQ(host.steps, (std::vector<std::int64_t>{7}));
  host.next = {"average_before_step", false};
  EXPECT_EQ(policy.decide({8, workers, {}}), Synchronisation::average_before_step);
  host.next = {"stay_local", false};
  EXPECT_EQ(policy.decide({9, workers, {}}), Synchronisation::stay_local);
}

TEST(External, OnlyGradientsMayBeDense) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  External policy({.source = {"Mine", "abc"}, .averaged = Averaged::gradients});
  host.next = {"average_gradients", true};
  EXPECT_TRUE(policy.decide({}).dense);
  host.next = {"stay_local", true};
  EXPECT_FALSE(policy.decide({}).dense);
}

TEST(External, RefusesADecisionThatTheSettingsRuleOutOrThatNoStepKnows) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  External policy(stated);
  const auto refusal_of = [&](const std::string& kind) {
    host.next = {kind, false};
    try {
      (void)policy.decide({3, {}, {}});
    } catch (const PolicyFailure& failure) {
      return failure.error().text();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal_of("average_gradients"),
            "--policies: policy `Mine` decided `average_gradients` in step 3, with `averaged: parameters`; "
            "accepted: stay_local, average_parameters, average_before_step");
  EXPECT_EQ(
      refusal_of("stay_locl"),
      "--policies: policy `Mine` decided `stay_locl` in step 3, with `averaged: parameters`; did you mean "
      "`stay_local`? accepted: stay_local, average_parameters, average_before_step");
}

TEST(External, EachRunHasANumberOfItsOwnAndCopiesShareIt) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  External first(stated);
  External second(stated);
  (void)first.decide({});
  (void)second.decide({});
  (void)first.copy()->decide({});
  EXPECT_EQ(host.runs, (std::vector<std::int64_t>{0, 1, 0}));
}

TEST(External, NeedsWhatItLooksAt) {
  const SynchronisationChoice choice =
      synchronisation("external", External::Settings{.looks = Looks::gradients});
  EXPECT_EQ(looks_of(choice), Looks::gradients);
  EXPECT_EQ(looks_of(*find_synchronisation("adacomm")), Looks::loss);
}

}  // namespace
}  // namespace policies
