// A ratio of another program on a host of the test: questions, decisions, refusals.
#include "policies/external_compression.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/policies/policy_host.hpp"

namespace policies {
namespace {

const ExternalCompression::Settings by_mine{.source = {"Mine", "abc"}};
const CompressionJob topk_job{.stated = {"topk", 0.01}};

TEST(ExternalCompression, SendsTheStatedMethodAtTheChosenRatio) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  ExternalCompression policy(by_mine, topk_job);
  host.next_ratio = 0.25;
  EXPECT_EQ(policy.plan({.step = 3}).trials, (std::vector<CompressionChoice>{{"topk", 0.25}}));
  EXPECT_EQ(host.steps, (std::vector<std::int64_t>{3}));
  EXPECT_FALSE(host.last);
}

TEST(ExternalCompression, ARatioOfOneIsTheDenseGradient) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  ExternalCompression policy(by_mine, topk_job);
  host.next_ratio = 1;
  EXPECT_FALSE(policy.plan({}).trials.front().compresses());
}

TEST(ExternalCompression, HandsOnWhatTheStepBeforeTook) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  ExternalCompression policy(by_mine, topk_job);
  policy.plan({});
  policy.learn({.sent = {"topk", 0.1}, .gain = 0.8});
  policy.plan({.step = 1});
  ASSERT_TRUE(host.last);
  EXPECT_EQ(host.last->gain, 0.8);
}

TEST(ExternalCompression, RefusesWhatIsNoShare) {
  tests::FakePolicyHost host("Mine", "abc");
  const InstalledPolicyHost installed(host);
  ExternalCompression policy(by_mine, topk_job);
  for (const double wrong : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    host.next_ratio = wrong;
    EXPECT_THROW(policy.plan({}), PolicyFailure) << wrong;
  }
  host.next_ratio = 2;
  try {
    policy.plan({.step = 7});
    FAIL();
  } catch (const PolicyFailure& failure) {
    EXPECT_EQ(
        failure.error().text(),
        "--policies: policy `Mine` chose a ratio of 2 in step 7; accepted: above 0, at most 1 (the dense "
        "gradient)");
  }
}

TEST(ExternalCompression, IsRefusedWhereNoProgramHasPassedIt) {
  EXPECT_EQ(problem_of(by_mine)->key, "name");
  tests::FakePolicyHost host("Mine", "other");
  const InstalledPolicyHost installed(host);
  EXPECT_EQ(problem_of(by_mine)->key, "sha256");
}

}  // namespace
}  // namespace policies
