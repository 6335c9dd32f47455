// Sizes as a command line names them.
#include "calibrate/probes/sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::probes {
namespace {

using namespace netmodels::literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sizes, RangeDoublesAndSizesRise) {
  EXPECT_THAT(*read_sizes("4KiB..20KiB"), ElementsAre(4096_B, 8192_B, 16384_B));
  EXPECT_THAT(*read_sizes("1MiB, 4B, 512KiB..1MiB"), ElementsAre(4_B, 524288_B, 1048576_B));
}

TEST(Sizes, SizeThatIsNoWholeNumberOfValuesIsRefused) {
  EXPECT_EQ(read_sizes("6B").error().text(),
            "--sizes: `6B` is not a size of whole fp32 values; accepted: multiples of 4 bytes, 4 B to 1 GiB");
  EXPECT_EQ(read_sizes("8KiB..4KiB").error().text(),
            "--sizes: the range `8KiB..4KiB` ends before it starts; accepted: FIRST..LAST");
  EXPECT_THAT(read_sizes("2GiB").error().text(), HasSubstr("4 B to 1 GiB"));
  EXPECT_THAT(read_sizes("4 ms").error().text(), HasSubstr("--sizes: "));
  EXPECT_FALSE(read_sizes("4KiB..").has_value());
}

}  // namespace
}  // namespace calibrate::probes
