// The table of rules: names are unique, are found, and the nearest one is suggested.
#include "calibrate/ledger/rules.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::ledger {
namespace {

TEST(Rules, NamesStandOnceAndSayWhatWasSeen) {
  std::set<std::string_view> names;
  for (const Rule& each : rules()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(*find_rule(each.name), &each);
    EXPECT_FALSE(each.seen.empty() || each.predicted.empty()) << each.name;
  }
}

TEST(Rules, UnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(find_rule("other_rank").error().text(),
              testing::HasSubstr("unknown rule `other_rank`; did you mean `other_ranks`?"));
}

TEST(Predictions, NamesAndSidesAreAsByHand) {
  EXPECT_EQ(file_name("../data/a.csv"), "a.csv");
  EXPECT_EQ(size_label({1048576}), "1048576 B");
  Prediction prediction{"t", "w", "ratio", std::nullopt, 0.9, 1.1};
  EXPECT_FALSE(prediction.on_right_side());
  prediction.predicted = 0.1;
  EXPECT_TRUE(prediction.on_right_side());
  EXPECT_NEAR(prediction.error(), -8.0 / 9, 1e-12);
}

}  // namespace
}  // namespace calibrate::ledger
