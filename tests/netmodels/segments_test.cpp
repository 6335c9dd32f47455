// Time over size in pieces.
#include "netmodels/segments.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

TEST(Segments, EachSizeIsOfThePieceThatItFallsInto) {  // by hand
  const SegmentModel model{
      {{Bytes{1000}, Seconds{2}, TimePerByte{0.001}}, {Bytes{}, Seconds{3}, TimePerByte{0.0005}}}};
  EXPECT_DOUBLE_EQ(predict(model, Bytes{500}).count, 2.5);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{1000}).count, 3);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{2000}).count, 4);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{2e6}).count, 1003);
}

}  // namespace
}  // namespace netmodels
