// Shipped stacks, as they are read.
#include "sim/inputs/stack_file.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

TEST(StackFile, IsReadWithAllDevicesThatItWasMeasuredOn) {
  const auto stack =
      inputs::read_stack(language::Value::scalar("pytorch-fsdp-2023", language::Origin("test")), data_dir);
  ASSERT_TRUE(stack) << stack.error().text();
  ASSERT_EQ(stack->devices.size(), 3U);
  EXPECT_EQ(stack->devices[2].device, "h100_sxm_datasheet");
  EXPECT_EQ(stack->devices[2].efficiency, 0.768);
  EXPECT_EQ(stack->devices[2].attention_weight, 1.5);
  EXPECT_DOUBLE_EQ(stack->devices[2].lost_per_doubling, 0.014);
  const auto unknown =
      inputs::read_stack(language::Value::scalar("pytorch-fsdp", language::Origin("test")), data_dir);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().text().find("pytorch-fsdp-2023"), std::string::npos) << unknown.error().text();
}

}  // namespace
}  // namespace sim::scenario
