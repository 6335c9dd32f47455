// Sizes that follow from the number of workers.
#include "sim/inputs/worker_rule.hpp"

#include <gtest/gtest.h>

namespace sim::inputs {
namespace {

TEST(WorkerRule, AConstantAndAShare) {
  EXPECT_EQ(parse_worker_rule("96/N")->at(8), 12);
  EXPECT_EQ(parse_worker_rule("10+96/N")->at(32), 13);
  EXPECT_EQ(parse_worker_rule("96-96/N")->at(32), 93);
  EXPECT_EQ(parse_worker_rule("4*N")->at(32), 128);
  EXPECT_EQ(parse_worker_rule("6+64/N+4*N")->at(32), 136);
  EXPECT_EQ(parse_worker_rule("6 + 64 / N + 4 * N")->at(32), 136);
  EXPECT_EQ(parse_worker_rule("1e+3+4e-1/N")->at(4), 1000.1);
}

TEST(WorkerRule, OtherTextsAreNone) {
  for (const char* text : {"", "96", "/N", "N", "x/N", "96/M", "10*96/N", "8-2*N", "*N", "-96/N", "10-96/N",
                           "96/N+", "+/N", "N*4", "9 6/N", "96 N", "NaN"})
    EXPECT_FALSE(parse_worker_rule(text)) << text;
}

}  // namespace
}  // namespace sim::inputs
