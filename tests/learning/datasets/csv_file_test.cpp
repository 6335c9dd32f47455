// Tests of data sets made of rows: classes, the held-out share, standardised features.
#include <cmath>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

Dataset read_file(const fs::path& path, CsvFile reading = {}) {
  reading.path = path.string();
  const auto set = load_csv(reading);
  EXPECT_TRUE(set) << set.error().text();
  return set ? *set : Dataset{};
}

std::string csv_file_error(const Folder& folder, const fs::path& path, CsvFile reading = {}) {
  reading.path = path.string();
  const auto set = load_csv(reading);
  return set ? "accepted" : folder.without_path(set.error().text());
}

std::vector<float> values_of(const Samples& samples) {
  Batch batch;
  batch.features = samples.features();
  for (std::size_t i = 0; i < samples.count(); ++i) samples.append_to(batch, i);
  return batch.inputs;
}

std::vector<std::uint16_t> labels_in_order(const Samples& samples) {
  std::vector<std::uint16_t> labels;
  for (std::size_t i = 0; i < samples.count(); ++i) labels.push_back(samples.label(i));
  return labels;
}

/// Rows `i, i % 3`, so that a training value identifies its row.
std::string counted(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + std::to_string(i % 3) + "\n";
  return text;
}

TEST(CsvFile, FeaturesAreStandardisedByTheTrainingRows) {
  const Folder folder;
  CsvFile reading;
  reading.test_path = folder.write("test", "7,5,0\n").string();
  const Dataset set = read_file(folder.write("train", "1,5,0\n3,5,1\n"), reading);
  EXPECT_THAT(values_of(set.train), ElementsAre(-1, 0, 1, 0));  // mean 2, standard deviation 1; constant: 0
  EXPECT_THAT(values_of(set.test), ElementsAre(5, 0));
  EXPECT_EQ(set.shape, (Shape{1, 1, 2}));
  EXPECT_EQ(set.kind, SampleKind::vector);
  EXPECT_EQ(set.sample_bytes, 10);
  EXPECT_EQ(set.name, "train");
  EXPECT_EQ(set.provenance, "read from train");
}

TEST(CsvFile, ConstantFeatureIsZeroDespiteRounding) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "0.1," + std::to_string(i % 2) + "\n";
  EXPECT_THAT(values_of(read_file(folder.write("a", text)).train), testing::Each(0.F));
}

TEST(CsvFile, WholeNumbersAreSortedAsNumbersOthersAsWords) {
  const Folder folder;
  CsvFile reading;
  reading.test_path = folder.write("test", "0,9\n").string();
  EXPECT_THAT(labels_in_order(read_file(folder.write("a", "0,10\n0,9\n0,-1\n"), reading).train),
              ElementsAre(2, 1, 0));
  EXPECT_THAT(labels_in_order(read_file(folder.write("b", "0,10\n0,9\n0,x\n"), reading).train),
              ElementsAre(0, 1, 2));
}

TEST(CsvFile, ClassesAreThoseOfBothFiles) {
  const Folder folder;
  CsvFile reading;
  reading.test_path = folder.write("test", "0,b\n").string();
  const Dataset set = read_file(folder.write("train", "0,a\n1,c\n"), reading);
  EXPECT_EQ(set.classes, 3);
  EXPECT_THAT(labels_in_order(set.train), ElementsAre(0, 2));
  EXPECT_THAT(labels_in_order(set.test), ElementsAre(1));
}

TEST(CsvFile, AFifthOfTheRowsIsHeldOutAndEachRowIsUsedOnce) {
  const Folder folder;
  const Dataset set = read_file(folder.write("a", counted(101)));
  EXPECT_EQ(set.train.count(), 81);
  EXPECT_EQ(set.test.count(), 20);
  const auto train = values_of(set.train);
  const auto test = values_of(set.test);
  std::set<float> rows(train.begin(), train.end());
  rows.insert(test.begin(), test.end());
  EXPECT_EQ(rows.size(), 101);
}

TEST(CsvFile, SeedDecidesWhichRowsAreHeldOut) {
  const Folder folder;
  const fs::path path = folder.write("a", counted(60));
  CsvFile other;
  other.seed = 1;
  EXPECT_EQ(values_of(read_file(path).train), values_of(read_file(path).train));
  EXPECT_NE(values_of(read_file(path).train), values_of(read_file(path, other).train));
}

TEST(CsvFile, OneRowIsLeftForEachSide) {
  const Folder folder;
  const fs::path path = folder.write("a", "1,0\n2,1\n");
  for (const double share : {0.001, 0.999}) {
    CsvFile reading;
    reading.test_share = share;
    EXPECT_EQ(read_file(path, reading).train.count(), 1);
    EXPECT_EQ(read_file(path, reading).test.count(), 1);
  }
}

TEST(CsvFile, TooFewRowsOrClassesAreRefused) {
  const Folder folder;
  EXPECT_EQ(csv_file_error(folder, folder.write("a", "1,0\n")),
            "FOLDER/a: the file has one row; write at least one to train with and one to test");
  EXPECT_EQ(
      csv_file_error(folder, folder.write("b", "1,0\n2,0\n")),
      "FOLDER/b: its rows have 1 different label(s); accepted: 2 to 65536; is the label the first or the "
      "last column?");
}

TEST(CsvFile, TooManyClassesAreRefused) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 65537; ++i) text += "1," + std::to_string(i) + "\n";
  EXPECT_EQ(
      csv_file_error(folder, folder.write("a", text)),
      "FOLDER/a: its rows have 65537 different label(s); accepted: 2 to 65536; is the label the first or "
      "the last column?");
}

TEST(CsvFile, TestFileWithOtherColumnsIsRefused) {
  const Folder folder;
  CsvFile reading;
  reading.test_path = folder.write("test", "1,2,0\n").string();
  EXPECT_EQ(csv_file_error(folder, folder.write("train", "1,0\n2,1\n"), reading),
            "FOLDER/test: its lines have 3 columns, but those of the training file have 2; give both files "
            "the same columns");
  reading.test_path = (folder.path() / "none").string();
  EXPECT_EQ(csv_file_error(folder, folder.path() / "train", reading),
            "FOLDER/none: file not found; check the path");
}

TEST(CsvFile, PenDigitsAreRead) {
  const fs::path folder = public_sets() / "pendigits";
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no ../shared/data/sets/pendigits beside the checkout";
  CsvFile reading;
  reading.test_path = (folder / "pendigits.tes").string();
  const Dataset set = read_file(folder / "pendigits.tra", reading);
  EXPECT_EQ(set.train.count(), 7494);
  EXPECT_EQ(set.test.count(), 3498);
  EXPECT_EQ(set.shape.size(), 16);
  EXPECT_EQ(set.classes, 10);
  EXPECT_EQ(set.train.label(0), 8);
  double sum = 0;
  double squares = 0;
  const std::vector<float> values = values_of(set.train);
  for (const float value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 1e-6);
  EXPECT_NEAR(squares / static_cast<double>(values.size()), 1, 1e-6);
}

TEST(CsvFile, LettersAreReadWithTheirHeaderAndTheirLabelFirst) {
  const fs::path path = public_sets() / "letter/letter-recognition.data";
  if (!fs::exists(path)) GTEST_SKIP() << "skipped: no ../shared/data/sets/letter beside the checkout";
  CsvFile reading;
  reading.label = LabelColumn::first;
  const Dataset set = read_file(path, reading);
  EXPECT_EQ(set.train.count() + set.test.count(), 20000);
  EXPECT_EQ(set.test.count(), 4000);
  EXPECT_EQ(set.classes, 26);
  EXPECT_EQ(set.shape.size(), 16);
}

}  // namespace
}  // namespace learning::datasets
