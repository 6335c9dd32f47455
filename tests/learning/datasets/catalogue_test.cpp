// Tests of the table of data sets: every row is loaded, and what is missing is said.
#include "learning/datasets/catalogue.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/learning/datasets/files.hpp"
#include "tests/source_tree.hpp"

namespace learning::datasets {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path shipped_data = fs::path(tests::source_dir()) / "scenarios";

std::string catalogue_error(const Source& source, const fs::path& data_folder = shipped_data) {
  const auto set = load(source, data_folder);
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

TEST(Datasets, ShippedSetIsReadFromAnotherPathToo) {
  Source source;
  source.path = (shipped_data / "datasets/optdigits.bin").string();
  EXPECT_TRUE(load(source, "nowhere"));
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
  for (const CatalogueRow& row : catalogue()) {
    names.push_back(row.name);
    EXPECT_FALSE(row.summary.empty() || row.made_by.empty() || row.licence.empty() || row.get.empty())
        << row.name;
    EXPECT_EQ(find_dataset(row.name).value(), &row);
  }
  EXPECT_THAT(names, testing::ElementsAre("optdigits", "mnist", "fashion_mnist", "cifar10", "csv", "text"));
}

TEST(Datasets, SetWithoutItsPathSaysWhereToGetIt) {
  for (const CatalogueRow& row : catalogue()) {
    if (!row.needs_path) continue;
    Source source;
    source.name = row.name;
    EXPECT_EQ(catalogue_error(source),
              "the data set `" + std::string(row.name) + "` has no path; " + std::string(row.get));
  }
}

TEST(Datasets, MissingFilesSayWhereToGetThem) {
  const Folder folder;
  Source source;
  source.path = folder.path().string();
  source.name = "mnist";
  EXPECT_EQ(folder.without_path(catalogue_error(source)),
            "FOLDER/train-images-idx3-ubyte: there is no such file; get train-images-idx3-ubyte.gz, "
            "train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz from "
            "http://yann.lecun.com/exdb/mnist and give their folder as path");
  source.name = "fashion_mnist";
  EXPECT_THAT(catalogue_error(source), HasSubstr("https://github.com/zalandoresearch/fashion-mnist"));
  source.name = "cifar10";
  EXPECT_EQ(folder.without_path(catalogue_error(source)),
            "FOLDER/data_batch_1.bin: there is no such file; get cifar-10-binary.tar.gz from "
            "https://www.cs.toronto.edu/~kriz/cifar.html, unpack it, and give the folder with "
            "data_batch_1.bin to data_batch_5.bin and test_batch.bin as path");
}

TEST(Datasets, MissingShippedFileIsSaidToShip) {
  const Folder folder;
  EXPECT_EQ(folder.without_path(catalogue_error({}, folder.path())),
            "FOLDER/datasets/optdigits.bin: there is no such file; take datasets/optdigits.bin, which ships "
            "with the program");
}

TEST(Datasets, UnknownNameNamesTheNearest) {
  Source source;
  source.name = "fashion-mnist";
  EXPECT_EQ(catalogue_error(source),
            "no data set is named `fashion-mnist`; did you mean `fashion_mnist`? accepted: optdigits, mnist, "
            "fashion_mnist, cifar10, csv, text");
}

TEST(Datasets, ValuesOutOfRangeAreRefused) {
  Source source;
  source.test_share = 1;
  EXPECT_EQ(catalogue_error(source), "a test share of 1; accepted: above 0 and below 1");
  source.test_share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(catalogue_error(source), "a test share of nan; accepted: above 0 and below 1");
  source.test_share = 0.2;
  source.window = 0;
  EXPECT_EQ(catalogue_error(source), "a window of 0 tokens; accepted: 1 to 4096");
}

TEST(Datasets, OptionsReachTheReaders) {
  const Folder folder;
  Source source;
  source.name = "csv";
  source.path = folder.write("train", "a 1\nb 2\na 3\n").string();
  source.label = LabelColumn::first;
  source.test_path = folder.write("test", "b 4\n").string();
  const auto table = load(source, shipped_data);
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ((*table)->train.count(), 3);
  source.name = "text";
  source.path = folder.write("text", std::string(99, 'a') + "b").string();
  source.window = 4;
  const auto text = load(source, shipped_data);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ((*text)->shape.size(), 4);
}

}  // namespace
}  // namespace learning::datasets
