// Tests of CIFAR-10's binary files, of one record each.
#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"

namespace learning::datasets {
namespace {

const Origin cifar10_origin{"cifar10", "made up", "get them there"};

/// A record whose three planes are of one value each.
std::string record(char label, char red, char green, char blue) {
  return label + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

void write_all(const Folder& folder) {
  for (int batch = 1; batch <= 5; ++batch) {
    folder.write("data_batch_" + std::to_string(batch) + ".bin",
                 record(static_cast<char>(batch), '\0', '\x33', '\xff'));
  }
  folder.write("test_batch.bin.gz",
               packed_if_possible(record('\x09', '\xff', '\0', '\0') + record('\0', 'a', 'b', 'c')));
}

std::string cifar10_error(const Folder& folder) {
  const auto set = load_cifar10(folder.path(), cifar10_origin);
  return set ? "accepted" : folder.without_path(set.error().text());
}

TEST(Cifar10Files, BatchesAreReadInOrderAndPlaneByPlane) {
  const Folder folder;
  write_all(folder);
  const auto set = load_cifar10(folder.path(), cifar10_origin);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->train.count(), 5);
  EXPECT_EQ(set->test.count(), 2);
  EXPECT_EQ(set->shape, (Shape{3, 32, 32}));
  EXPECT_EQ(set->classes, 10);
  EXPECT_EQ(set->sample_bytes, 3073);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(set->train.label(i), i + 1);
  Batch batch;
  batch.features = 3072;
  set->train.append_to(batch, 2);
  const float zero = batch.inputs[1023];  // standardised: known up to shift and scale
  EXPECT_FLOAT_EQ(batch.inputs[3071] - zero, 5 * (batch.inputs[1024] - zero));
  EXPECT_EQ(set->test.label(0), 9);
}

TEST(Cifar10Files, MissingBatchSaysWhereToGetIt) {
  const Folder folder;
  write_all(folder);
  std::filesystem::remove(folder.path() / "data_batch_4.bin");
  EXPECT_EQ(cifar10_error(folder), "FOLDER/data_batch_4.bin: file not found; get them there");
}

TEST(Cifar10Files, CutOffRecordIsRefused) {
  const Folder folder;
  write_all(folder);
  folder.write("data_batch_2.bin", record(1, 2, 3, 4).substr(1));
  EXPECT_EQ(cifar10_error(folder),
            "FOLDER/data_batch_2.bin: the file has 3072 bytes, not a multiple of the record size 3073; "
            "download the file again; the binary version is needed, not the one for Python or Matlab");
}

TEST(Cifar10Files, LabelAboveNineIsRefused) {
  const Folder folder;
  write_all(folder);
  folder.write("test_batch.bin", record(0, 0, 0, 0) + record(10, 0, 0, 0));
  EXPECT_EQ(cifar10_error(folder),
            "FOLDER/test_batch.bin: sample 1 has the label 10; accepted: labels of 0 to 9");
}

}  // namespace
}  // namespace learning::datasets
