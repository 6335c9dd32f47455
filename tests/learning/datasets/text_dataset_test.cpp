// Tests of texts as data sets: alphabet, windows, the last tenth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::string text_error(const std::string& text, int window) {
  const Folder folder;
  const auto set = load_text(folder.write("text", text), window);
  return set ? "accepted" : folder.without_path(set.error().text());
}

TEST(TextDataset, TokensAreNumberedByTheSortedAlphabet) {
  const Folder folder;
  const std::string text = "cab\xff" + std::string(26, 'a') + "bac";  // 33 bytes: 30 to train, 3 to test
  const auto set = load_text(folder.write("text", packed_if_possible(text)), 2);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->provenance, "read from text");
  EXPECT_EQ(set->classes, 4);
  EXPECT_EQ(set->kind, SampleKind::tokens);
  EXPECT_EQ(set->shape, (Shape{1, 1, 2}));
  EXPECT_EQ(set->sample_bytes, 3);
  EXPECT_EQ(set->train.count(), 28);
  EXPECT_EQ(set->test.count(), 1);
  Batch batch;
  batch.features = 2;
  set->train.append_to(batch, 0);
  set->train.append_to(batch, 1);
  set->test.append_to(batch, 0);
  EXPECT_THAT(batch.inputs, ElementsAre(2, 0, 0, 1, 1, 0));
  EXPECT_THAT(batch.labels, ElementsAre(1, 3, 2));
}

TEST(TextDataset, ShortestTextHasOneTestWindow) {
  const std::string hint = "; give a text of at least 40 bytes, or a shorter window";
  EXPECT_EQ(text_error(std::string(39, 'a') + "b", 3), "accepted");
  EXPECT_EQ(text_error(std::string(38, 'a') + "b", 3),
            "FOLDER/text: the text has 39 bytes, too few for windows of 3" + hint);
}

TEST(TextDataset, OneCharacterOverAndOverIsRefused) {
  EXPECT_EQ(text_error(std::string(100, 'a'), 3),
            "FOLDER/text: the text repeats a single character; use a text with several characters");
}

TEST(TextDataset, ShakespeareIsRead) {
  const fs::path path = public_sets() / "tinyshakespeare/input.txt";
  if (!fs::exists(path))
    GTEST_SKIP() << "skipped: no ../shared/data/sets/tinyshakespeare beside the checkout";
  const auto set = load_text(path, 32);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->classes, 65);
  EXPECT_EQ(set->train.count(), 1115394 - 111539 - 32);
  EXPECT_EQ(set->test.count(), 111539 - 32);
}

}  // namespace
}  // namespace learning::datasets
