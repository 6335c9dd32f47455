// Tests of options that are counts.
#include "calibrate/count_option.hpp"

#include <gtest/gtest.h>

namespace calibrate {
namespace {

TEST(CountOption, MayBeLeftOut) {
  const auto read = read_count("--ranks", std::nullopt, {});
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST(CountOption, TakesBothEndsOfItsRange) {
  EXPECT_EQ(read_count("--ranks", 2, {.least = 2}).value(), 2);
  EXPECT_EQ(read_count("--ranks", 9, {.most = 9}).value(), 9);
}

TEST(CountOption, IsRefusedOutOfRange) {
  EXPECT_EQ(read_count("--ranks", 1, {.least = 2}).error().text(),
            "--ranks: `1` is out of range; accepted: 2 to 1000000");
  EXPECT_EQ(read_count("--nodes", 10, {.most = 9}).error().text(),
            "--nodes: `10` is out of range; accepted: 1 to 9");
}

}  // namespace
}  // namespace calibrate
