// The memory that a program allows itself.
#include "command_line/memory_limit.hpp"

#include <gtest/gtest.h>

namespace command_line {
namespace {

const std::string machine = "MemTotal:       1000000 kB\nMemFree:         500000 kB\n";

TEST(MemoryLimit, IsFourFifthsOfTheMachine) {
  EXPECT_DOUBLE_EQ(default_memory(machine, "max\n").count, 0.8 * 1024e6);
  EXPECT_DOUBLE_EQ(default_memory(machine, "").count, 0.8 * 1024e6);
}

TEST(MemoryLimit, IsThatOfTheGroupWhereItHasLess) {
  EXPECT_DOUBLE_EQ(default_memory(machine, "1000000\n").count, 0.8 * 1e6);
  EXPECT_DOUBLE_EQ(default_memory(machine, "99999999999\n").count, 0.8 * 1024e6);
}

TEST(MemoryLimit, IsNoneWhereNothingIsKnown) { EXPECT_DOUBLE_EQ(default_memory("", "").count, 0.8e18); }

}  // namespace
}  // namespace command_line
