// How a refusal is spelled, with and without its parts.
#include "netmodels/result.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

TEST(Error, PutsPlaceBeforeWhatAndMendBehindIt) {
  EXPECT_EQ((Error{"a.yaml:3:1", "0 workers", "1 to 4096 are accepted"}.text()),
            "a.yaml:3:1: 0 workers; 1 to 4096 are accepted");
}

TEST(Error, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_EQ((Error{"\x1b[31m.yaml", "a\x7f \u00e4 \u009b1m", ""}.text()),
            "\\x1b[31m.yaml: a\\x7f \u00e4 \\x9b1m");
  EXPECT_EQ((Error{"", "5 \u00b0C", ""}.text()), "5 \u00b0C");  // its first byte is that of \u009b, too
}

TEST(Error, LeavesOutAnEmptyPlace) {
  EXPECT_EQ((Error{"", "0 workers", "at least 1"}.text()), "0 workers; at least 1");
}

TEST(Error, LeavesOutAnEmptyMend) { EXPECT_EQ((Error{"--size", "no unit", ""}.text()), "--size: no unit"); }

TEST(Error, IsTheBareReasonWithoutPlaceAndMend) { EXPECT_EQ((Error{"", "nothing", ""}.text()), "nothing"); }

TEST(Refuse, FillsAResultThatHoldsNoValue) {
  const Result<int> refused = refuse("--ranks", "no number");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().where, "--ranks");
  EXPECT_EQ(refused.error().what, "no number");
  EXPECT_EQ(refused.error().hint, "");
}

TEST(Error, HasALineForEachError) {
  EXPECT_EQ((Error{"a:1", "one", "x", {}, {Error{"a:2", "two", "", {}, {}}}}.text()),
            "a:1: one; x\na:2: two");
}

TEST(MergeErrors, KeepsTheOrderAndEachErrorOnce) {
  const Error one{"a:1", "one", "", {}, {Error{"a:2", "two", "", {}, {}}}};
  const Error again{"a:2", "two", "another hint", {}, {}};
  const Error three{"a:3", "three", "", {{"k", "v"}}, {}};
  const Error merged = merge_errors({one, again, three});
  EXPECT_EQ(merged.text(), "a:1: one\na:2: two\na:3: three");
  ASSERT_EQ(merged.more.size(), 2U);
  EXPECT_EQ(merged.more.back().remedy, three.remedy);
}

}  // namespace
}  // namespace netmodels
