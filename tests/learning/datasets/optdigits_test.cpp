// Tests of the shipped digits, and of packed files that are not what they should be.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"
#include "tests/source_tree.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;

const fs::path shipped_optdigits = fs::path(tests::source_dir()) / "scenarios/datasets/optdigits.bin";
const Origin optdigits_origin{"optdigits", "made up", "take another"};

std::string packed(std::uint32_t train, std::uint32_t test, std::uint32_t features, std::uint32_t classes,
                   const std::string& body) {
  return "OPTD" + little_endian(train) + little_endian(test) + little_endian(features) +
         little_endian(classes) + body;
}

std::string optdigits_error(const std::string& bytes) {
  const Folder folder;
  const auto set = load_optdigits(folder.write("digits", bytes), optdigits_origin);
  return set ? "accepted" : folder.without_path(set.error().text());
}

/// Standardised values turned back into pixels; the first training sample begins with the pixels 0 and 1.
struct Pixels {
  explicit Pixels(const Samples& train) {
    Batch batch;
    batch.features = 64;
    train.append_to(batch, 0);
    zero = batch.inputs[0];
    one = batch.inputs[1] - zero;
  }
  [[nodiscard]] float of(float value) const { return (value - zero) / one; }

  float zero = 0;
  float one = 1;
};

/// The lines of UCI's text file against the samples.
void expect_equal(const Samples& samples, const Pixels& pixels, const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::size_t index = 0;
  Batch batch;
  batch.features = 64;
  for (; std::getline(file, line); ++index) {
    batch.clear();
    ASSERT_LT(index, samples.count());
    samples.append_to(batch, index);
    std::istringstream fields(line);
    std::string field;
    for (const float value : batch.inputs) {
      std::getline(fields, field, ',');
      ASSERT_NEAR(pixels.of(value), std::stof(field), 1e-4) << path << " line " << index + 1;
    }
    std::getline(fields, field, ',');
    ASSERT_EQ(batch.labels[0], std::stoi(field)) << path << " line " << index + 1;
  }
  EXPECT_EQ(index, samples.count());
}

TEST(Optdigits, ShippedFileIsTheWholeSet) {
  const auto set = load_optdigits(shipped_optdigits, optdigits_origin);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->train.count(), 3823);
  EXPECT_EQ(set->test.count(), 1797);
  EXPECT_EQ(set->classes, 10);
  EXPECT_EQ(set->shape, (Shape{1, 8, 8}));
  EXPECT_EQ(set->kind, SampleKind::image);
  EXPECT_EQ(set->sample_bytes, 65);
  EXPECT_EQ(set->name, "optdigits");
  EXPECT_EQ(set->provenance, "made up");
}

TEST(Optdigits, FirstSamplesAreThoseOfThePublishedFiles) {
  const auto set = load_optdigits(shipped_optdigits, optdigits_origin);
  ASSERT_TRUE(set) << set.error().text();
  Batch batch;
  batch.features = 64;
  set->train.append_to(batch, 0);
  set->test.append_to(batch, 1);
  const Pixels pixels(set->train);
  const std::vector<float> expected{0, 1, 6, 15, 12, 1, 0, 0, 0, 0, 0, 12, 13, 5, 0, 0};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(pixels.of(batch.inputs[i]), expected[i], 1e-4);
    EXPECT_NEAR(pixels.of(batch.inputs[64 + i]), expected[8 + i], 1e-4);
  }
  EXPECT_EQ(batch.labels, (std::vector<std::uint16_t>{0, 1}));
}

TEST(Optdigits, EverySampleIsThatOfThePublishedFiles) {
  const fs::path folder = public_sets() / "optdigits";
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no ../shared/data/sets/optdigits beside the checkout";
  const auto set = load_optdigits(shipped_optdigits, optdigits_origin);
  ASSERT_TRUE(set) << set.error().text();
  expect_equal(set->train, Pixels(set->train), folder / "optdigits.tra");
  expect_equal(set->test, Pixels(set->train), folder / "optdigits.tes");
}

TEST(Optdigits, SmallestFileIsRead) {
  EXPECT_EQ(optdigits_error(packed(1, 1, 64, 10, std::string(128, '\x10') + std::string("\x09\0", 2))),
            "accepted");
}

TEST(Optdigits, FilesOfAnotherKindAreRefused) {
  const std::string text =
      "FOLDER/digits: the file does not start with `OPTD` and four numbers; use the optdigits.bin that is "
      "shipped with the program";
  EXPECT_EQ(optdigits_error("OPTD"), text);
  EXPECT_EQ(optdigits_error("0,1,6,15,12,1,0,0,0,7,16,6,6,10"), text);
}

TEST(Optdigits, AbsurdHeadersAreRefused) {
  EXPECT_EQ(
      optdigits_error(packed(0xffffffff, 7, 65, 10, "")),
      "FOLDER/digits: the header states 4294967295 training and 7 test samples of 65 pixels in 10 classes; "
      "accepted: at least one of each, 64 pixels, 10 classes");
  EXPECT_EQ(optdigits_error(packed(0, 1, 64, 10, std::string(65, '\0'))),
            "FOLDER/digits: the header states 0 training and 1 test samples of 64 pixels in 10 classes; "
            "accepted: at least one of each, 64 pixels, 10 classes");
  EXPECT_EQ(optdigits_error(packed(0xffffffff, 0xffffffff, 64, 10, "")),
            "FOLDER/digits: the file has 20 bytes, but its header needs 558345748370; use the "
            "optdigits.bin that is shipped with the program");
}

TEST(Optdigits, CutOffFileIsRefused) {
  EXPECT_EQ(optdigits_error(packed(1, 1, 64, 10, std::string(129, '\0'))),
            "FOLDER/digits: the file has 149 bytes, but its header needs 150; use the optdigits.bin that "
            "is shipped with the program");
}

TEST(Optdigits, PixelsAndLabelsOutOfRangeAreRefused) {
  const std::string text =
      "FOLDER/digits: a pixel is above 16 or a label above 9; use the optdigits.bin that is shipped with "
      "the program";
  EXPECT_EQ(optdigits_error(packed(1, 1, 64, 10, std::string(128, '\x11') + std::string(2, '\0'))), text);
  EXPECT_EQ(optdigits_error(packed(1, 1, 64, 10, std::string(128, '\0') + "\x09\x0a")), text);
}

TEST(Optdigits, MissingFileSaysWhatToDo) {
  const Folder folder;
  const auto set = load_optdigits(folder.path() / "none", optdigits_origin);
  ASSERT_FALSE(set);
  EXPECT_EQ(folder.without_path(set.error().text()), "FOLDER/none: file not found; take another");
}

}  // namespace
}  // namespace learning::datasets
