// Tests of MNIST's IDX files: small ones written here, and Fashion-MNIST where it is next to the checkout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

const Origin idx_origin{"tiny", "made up", "get them there"};

/// The pixel of a standardised value, from the known first two pixels of the first sample, 0 and 51.
double pixel_of(float value, const Batch& batch) {
  return 51 * static_cast<double>(value - batch.inputs[0]) /
         static_cast<double>(batch.inputs[1] - batch.inputs[0]);
}

std::string images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                   const std::string& pixels) {
  return big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(columns) + pixels;
}

std::string labels(std::uint32_t count, const std::string& bytes) {
  return big_endian(0x801) + big_endian(count) + bytes;
}

/// Two training images of 2 x 3 pixels and one test image; each test spoils the part that it checks.
struct Files {
  std::string train_images = images(2, 2, 3, std::string("\0\x33\x66\x99\xcc\xff\1\2\3\4\5\6", 12));
  std::string train_labels = labels(2, std::string("\x09\0", 2));
  std::string test_images = images(1, 2, 3, std::string(6, '\xff'));
  std::string test_labels = labels(1, "\x04");

  void write(const Folder& folder) const {
    folder.write("train-images-idx3-ubyte", train_images);
    folder.write("train-labels-idx1-ubyte.gz", packed_if_possible(train_labels));
    folder.write("t10k-images-idx3-ubyte.gz", packed_if_possible(test_images));
    folder.write("t10k-labels-idx1-ubyte", test_labels);
  }
};

std::string idx_error(const Files& files) {
  const Folder folder;
  files.write(folder);
  const auto set = load_idx(folder.path(), idx_origin);
  return set ? "accepted" : folder.without_path(set.error().text());
}

TEST(IdxFiles, PlainAndGzipFilesAreRead) {
  const Folder folder;
  Files().write(folder);
  const auto set = load_idx(folder.path(), idx_origin);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->shape, (Shape{1, 2, 3}));
  EXPECT_EQ(set->train.count(), 2);
  EXPECT_EQ(set->test.count(), 1);
  EXPECT_EQ(set->classes, 10);
  EXPECT_EQ(set->sample_bytes, 7);
  Batch batch;
  batch.features = 6;
  set->train.append_to(batch, 0);
  set->test.append_to(batch, 0);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(pixel_of(batch.inputs[i], batch), 51 * static_cast<double>(i), 1e-3);
    EXPECT_NEAR(pixel_of(batch.inputs[6 + i], batch), 255, 1e-3);
  }
  EXPECT_THAT(batch.labels, ElementsAre(9, 4));
}

TEST(IdxFiles, FilesOfAnotherKindAreRefused) {
  Files swapped;
  std::swap(swapped.train_images, swapped.train_labels);
  EXPECT_EQ(idx_error(swapped),
            "FOLDER/train-images-idx3-ubyte: the file does not start with an IDX header (00000803); get "
            "them there");
  Files short_labels;
  short_labels.test_labels = big_endian(0x801);
  EXPECT_EQ(idx_error(short_labels),
            "FOLDER/t10k-labels-idx1-ubyte: the file does not start with an IDX header (00000801); get "
            "them there");
}

TEST(IdxFiles, AbsurdHeadersAreRefused) {
  Files wide;
  wide.train_images = images(2, 2, 0xffffffff, "");
  EXPECT_EQ(idx_error(wide),
            "FOLDER/train-images-idx3-ubyte: the header states images of 2 x 4294967295; accepted: 1 to "
            "1024 pixels each way");
  Files many;
  many.train_images = images(0xffffffff, 1024, 1024, "x");
  EXPECT_EQ(idx_error(many),
            "FOLDER/train-images-idx3-ubyte: the file has 17 bytes, but its header of 4294967295 samples "
            "needs 4503599626321936; get them there");
  Files none;
  none.train_images = images(0, 28, 28, "");
  EXPECT_EQ(idx_error(none),
            "FOLDER/train-images-idx3-ubyte: the file has 16 bytes, but its header of 0 samples needs 16; "
            "get them there");
}

TEST(IdxFiles, CutOffFilesAreRefused) {
  Files cut;
  cut.train_images.pop_back();
  EXPECT_EQ(idx_error(cut),
            "FOLDER/train-images-idx3-ubyte: the file has 27 bytes, but its header of 2 samples needs 28; "
            "get them there");
  Files longer;
  longer.train_labels += 'x';
  EXPECT_EQ(idx_error(longer),
            "FOLDER/train-labels-idx1-ubyte.gz: the file has 11 bytes, but its header of 2 samples needs "
            "10; get them there");
}

TEST(IdxFiles, FilesThatDoNotFitEachOtherAreRefused) {
  Files fewer;
  fewer.train_labels = labels(1, "\x01");
  EXPECT_EQ(idx_error(fewer),
            "FOLDER/train-labels-idx1-ubyte.gz: 1 labels for 2 images; use both files of one data set");
  Files larger;
  larger.test_images = images(1, 3, 3, std::string(9, 'x'));
  EXPECT_EQ(idx_error(larger),
            "FOLDER: training images are 2 x 3, test images 3 x 3; use all files of one data set");
}

TEST(IdxFiles, LabelsAboveNineAreRefused) {
  Files wrong;
  wrong.train_labels = labels(2, "\x09\x0a");
  EXPECT_EQ(idx_error(wrong),
            "FOLDER/train-labels-idx1-ubyte.gz: sample 1 has the label 10; accepted: labels of 0 to 9");
}

TEST(IdxFiles, MissingFileSaysWhereToGetIt) {
  const Folder folder;
  const auto set = load_idx(folder.path(), idx_origin);
  ASSERT_FALSE(set);
  EXPECT_EQ(folder.without_path(set.error().text()),
            "FOLDER/train-images-idx3-ubyte: file not found; get them there");
}

TEST(IdxFiles, FashionMnistIsRead) {
  const fs::path folder = public_sets() / "fashion-mnist";
  if (!fs::exists(folder))
    GTEST_SKIP() << "skipped: no ../shared/data/sets/fashion-mnist beside the checkout";
  if (!has_gzip) GTEST_SKIP() << "skipped: this build has no Boost.Iostreams";
  const auto set = load_idx(folder, idx_origin);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->train.count(), 60000);
  EXPECT_EQ(set->test.count(), 10000);
  EXPECT_EQ(set->shape, (Shape{1, 28, 28}));
  EXPECT_EQ(set->sample_bytes, 785);
  std::vector<int> counts(10);
  for (std::size_t i = 0; i < 60000; ++i) ++counts[set->train.label(i)];
  EXPECT_THAT(counts, testing::Each(6000));
  EXPECT_EQ(set->train.label(0), 9);
  EXPECT_EQ(set->test.label(1), 2);
}

}  // namespace
}  // namespace learning::datasets
