// Ways of sending less of a sharded step: two of them together, and names that are not known.
#include "netmodels/shard_sending.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

const ShardSending& sending(std::string_view name) { return (*find_shard_sending(name))->sending; }

TEST(ShardSending, TogetherKeepsWhatEachStates) {
  const auto both = together(sending("fp8"), sending("loco"));
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_EQ(both->parameters, sending("fp8").parameters);
  EXPECT_EQ(both->gradients_within, sending("loco").gradients_within);
  EXPECT_EQ(both->gradients_between, sending("loco").gradients_between);
  EXPECT_FALSE(both->secondary);
  EXPECT_FALSE(both->differences);
  EXPECT_EQ(both->error_bytes, 1);  // the residual of loco has 8 bits a parameter, whichever comes first
  EXPECT_EQ(together(sending("loco"), sending("fp8"))->error_bytes, 1);
  EXPECT_TRUE(together(sending("hpz"), sending("loco"))->secondary);
}

TEST(ShardSending, SecondCopiesAndDifferencesStayInEitherOrder) {
  for (const auto& both :
       {together(sending("hpz"), sending("sdp4bit")), together(sending("sdp4bit"), sending("hpz"))}) {
    ASSERT_TRUE(both) << both.error().text();
    EXPECT_TRUE(both->secondary);
    EXPECT_TRUE(both->differences);
    EXPECT_EQ(both->parameters, sending("sdp4bit").parameters);
  }
}

TEST(ShardSending, TwoThatStateTheSameAreRefused) {
  EXPECT_EQ(together(sending("fp8"), sending("qwz")).error().text(),
            "two of them state how parameters are gathered; name one of them");
  EXPECT_EQ(together(sending("loco"), sending("qgz")).error().text(),
            "two of them state how gradients are summed; name one of them");
  EXPECT_EQ(together(sending("hpz"), sending("zero++")).error().text(),
            "two of them state second copies inside nodes; name one of them");
}

}  // namespace
}  // namespace netmodels
