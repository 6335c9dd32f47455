// Tests of the table of data sets: every row is loaded, and what is missing is said.
#include "learning/datasets/catalogue.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/dataset_cache.hpp"
#include "learning/datasets/readers.hpp"
#include "tests/learning/datasets/files.hpp"
#include "tests/source_tree.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string shipped_data = tests::source_dir() + "/scenarios";

std::string catalogue_error(const DatasetChoice& choice, const std::string& data_folder = shipped_data) {
  const auto set = load(choice, data_folder);
  return set ? "accepted" : set.error().text();
}

TEST(Datasets, DefaultIsTheShippedSet) {
  const auto set = load({}, shipped_data);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ((*set)->name, "optdigits");
  EXPECT_EQ((*set)->train.count(), 3823);
  EXPECT_EQ((*set)->provenance,
            "E. Alpaydin & C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning "
            "Repository, 1998, DOI 10.24432/C50P49; CC BY 4.0");
}

TEST(Datasets, ShippedSetIsReadFromAnotherDataFolderToo) {
  const Folder folder;
  fs::create_directory(folder.path() / "datasets");
  fs::copy_file(fs::path(shipped_data) / "datasets/optdigits.bin", folder.path() / "datasets/optdigits.bin");
  EXPECT_TRUE(load({}, folder.path().string()));
}

TEST(Datasets, WhatIsKnownWithoutReadingIsTrueOfTheShippedSet) {
  const DatasetChoice shipped;
  const auto set = load(shipped, shipped_data);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(shipped->known.samples, (*set)->train.count());
  EXPECT_EQ(shipped->known.sample.value().count, (*set)->sample_bytes);
}

TEST(Datasets, FilesOfOnesOwnAreNotKnownBeforeTheyAreRead) {
  for (const std::string_view name : {"csv", "text"}) {
    EXPECT_FALSE(find_dataset(name)->known.samples.has_value()) << name;
    EXPECT_FALSE(find_dataset(name)->known.sample.has_value()) << name;
  }
}

TEST(DatasetCache, ReadsADataSetOnceForEachChoiceOfItsSettings) {
  const Folder folder;
  DatasetCache cache(shipped_data);
  const CsvFile file{.path = folder.write("train", "1,a\n2,b\n3,a\n").string()};
  const auto first = cache.get(dataset("csv", file)).value();
  EXPECT_EQ(cache.get(dataset("csv", file)).value(), first);
  CsvFile other = file;
  other.seed = 1;
  EXPECT_NE(cache.get(dataset("csv", other)).value(), first);
  EXPECT_FALSE(cache.get(*find_dataset("mnist")));
  EXPECT_EQ(cache.data_folder(), shipped_data);
}

TEST(Datasets, LoadingTwiceGivesTheSame) {
  const auto first = load({}, shipped_data);
  const auto second = load({}, shipped_data);
  Batch one{64, {}, {}};
  Batch other{64, {}, {}};
  for (const std::size_t i : {0U, 1000U, 3822U}) {
    (*first)->train.append_to(one, i);
    (*second)->train.append_to(other, i);
  }
  EXPECT_EQ(one.inputs, other.inputs);
}

TEST(Datasets, EveryRowSaysWhatItIsAndWhoseAndHowToGetIt) {
  std::vector<std::string_view> names;
  for (const DatasetRow& row : catalogue()) {
    names.push_back(row.name);
    EXPECT_FALSE(row.summary.empty() || row.source.empty() || row.licence.empty() || row.get.empty())
        << row.name;
    EXPECT_EQ(find_dataset(row.name), &row);
  }
  EXPECT_THAT(names, testing::ElementsAre("optdigits", "mnist", "fashion_mnist", "cifar10", "csv", "text"));
}

TEST(Datasets, SetWithoutItsPathSaysWhereToGetIt) {
  for (const DatasetRow& row : catalogue()) {
    if (row.settings == &settings::owned<settings::None>) continue;
    EXPECT_EQ(catalogue_error(row),
              "the data set `" + std::string(row.name) + "` has no path; " + std::string(row.get));
  }
}

TEST(Datasets, MissingFilesSayWhereToGetThem) {
  const Folder folder;
  const DatasetFolder own{folder.path().string()};
  EXPECT_EQ(folder.without_path(catalogue_error(dataset("mnist", own))),
            "FOLDER/train-images-idx3-ubyte: file not found; get train-images-idx3-ubyte.gz, "
            "train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz from "
            "http://yann.lecun.com/exdb/mnist and give their folder as path");
  EXPECT_THAT(catalogue_error(dataset("fashion_mnist", own)),
              HasSubstr("https://github.com/zalandoresearch/fashion-mnist"));
  EXPECT_EQ(folder.without_path(catalogue_error(dataset("cifar10", own))),
            "FOLDER/data_batch_1.bin: file not found; get cifar-10-binary.tar.gz from "
            "https://www.cs.toronto.edu/~kriz/cifar.html, unpack it, and give the folder with "
            "data_batch_1.bin to data_batch_5.bin and test_batch.bin as path");
}

TEST(Datasets, MissingShippedFileIsSaidToShip) {
  const Folder folder;
  EXPECT_EQ(folder.without_path(catalogue_error({}, folder.path().string())),
            "FOLDER/datasets/optdigits.bin: file not found; use datasets/optdigits.bin, which is shipped "
            "with the program");
}

TEST(Datasets, UnknownNameHasNoRow) { EXPECT_EQ(find_dataset("fashion-mnist"), nullptr); }

TEST(Datasets, OptionsReachTheReaders) {
  const Folder folder;
  CsvFile numbers{.path = folder.write("train", "a 1\nb 2\na 3\n").string()};
  numbers.label = LabelColumn::first;
  numbers.test_path = folder.write("test", "b 4\n").string();
  const auto table = load(dataset("csv", numbers), shipped_data);
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ((*table)->train.count(), 3);
  const TextFile letters{folder.write("text", std::string(99, 'a') + "b").string(), 4};
  const auto text = load(dataset("text", letters), shipped_data);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ((*text)->shape.size(), 4);
}

}  // namespace
}  // namespace learning::datasets
