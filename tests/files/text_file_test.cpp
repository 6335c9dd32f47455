// Lines, words, cells and numbers of a text.
#include "files/text_file.hpp"

#include <gtest/gtest.h>

namespace files {
namespace {

using Texts = std::vector<std::string_view>;

TEST(TextFile, CellsArePartedByCommas) {
  EXPECT_EQ(cells_of("a, b ,,"), (Texts{"a", "b", "", ""}));
  EXPECT_EQ(cells_of(""), (Texts{""}));
}

TEST(TextFile, LinesLoseTheirEnds) {
  EXPECT_EQ(lines_of("one\r\ntwo\n\nfour"), (Texts{"one", "two", "", "four"}));
}

TEST(TextFile, WordsKnowTheirColumns) {
  const std::vector<Word> words = words_of("  8\tfloat");
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0].text, "8");
  EXPECT_EQ(words[0].column, 3);
  EXPECT_EQ(words[1].column, 5);
}

TEST(TextFile, NumbersAreTheWholeText) {
  EXPECT_EQ(read_number("1.5e3"), 1500);
  EXPECT_EQ(read_number("1.5x"), std::nullopt);
  EXPECT_EQ(read_integer("42"), 42);
  EXPECT_EQ(read_integer("42.0"), std::nullopt);
}

TEST(TextFile, TheNamesThatMpirunWritesBeforeLinesAreDropped) {
  EXPECT_EQ(without_mpirun_prefix("[1,0]<stdout>:# nccl"), "# nccl");
  EXPECT_EQ(without_mpirun_prefix("# nccl"), "# nccl");
}

}  // namespace
}  // namespace files
