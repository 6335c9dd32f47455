// Compressions as phrases.
#include "learning/learners/record_compression.hpp"

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

TEST(RecordCompression, IsReadBackAsPrinted) {
  const std::pair<Compression, std::string> rows[] = {
      {{}, "none"},
      {{"topk", 0.01, true, false}, "topk 0.01"},
      {{"topk", 0.001, false, false}, "topk 0.001 without error feedback"},
      {{"ar_topk", 0.1, true, true}, "ar_topk 0.1 by variance"},
      {{"ar_topk", 0.1, false, true}, "ar_topk 0.1 by variance without error feedback"},
  };
  for (const auto& [compression, phrase] : rows) {
    EXPECT_EQ(print_compression(compression), phrase);
    const auto read = parse_compression(phrase);
    ASSERT_TRUE(read.has_value()) << phrase;
    EXPECT_EQ(*read, compression) << phrase;
  }
}

TEST(RecordCompression, OtherPhrasesAreRefused) {
  for (const std::string phrase : {"", "topk", "topk 0", "topk 1.5", "topk x", " 0.1", "none 0.1x"}) {
    EXPECT_EQ(
        parse_compression(phrase).error().text(),
        "`" + phrase +
            "` is no compression; accepted: none, or a method and its ratio in (0, 1], such as `topk 0.01` "
            "or `topk 0.01 without error feedback`");
  }
}

TEST(RecordCompression, AllIsSentWithoutCompressionOrAtRatioOne) {
  EXPECT_TRUE(sends_all({}));
  EXPECT_TRUE(sends_all({"topk", 1, true, false}));
  EXPECT_TRUE(sends_all({"ar_topk", 1, true, true}));
  EXPECT_FALSE(sends_all({"topk", 0.99, true, false}));
}

TEST(RecordCompression, MethodsThatChangeValuesNeverSendThemAsTheyAre) {
  for (const std::string method : {"fp16", "bf16", "qsgd", "terngrad", "signsgd", "powersgd", "multilevel"})
    EXPECT_FALSE(sends_all({method, 1, true, false})) << method;
}

TEST(RecordCompression, TablesTellVarianceSelectionApart) {
  EXPECT_EQ(table_name({"ar_topk", 0.1, true, false}), "ar_topk");
  EXPECT_EQ(table_name({"ar_topk", 0.1, true, true}), "ar_topk_by_variance");
}

}  // namespace
}  // namespace learning::learners
