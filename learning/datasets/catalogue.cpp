// Rows of the table of data sets.
#include "learning/datasets/catalogue.hpp"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "learning/datasets/dataset.hpp"
#include "learning/datasets/readers.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

/// The facts of a published set from its row.
Origin origin_of(const DatasetRow& row) {
  return {std::string(row.name), fmt::format("{}; {}", row.source, row.licence), std::string(row.get)};
}

Result<Dataset> read_optdigits(const DatasetRow& row, const settings::None&, const std::string& data_folder) {
  return load_optdigits(fs::path(data_folder) / "datasets" / "optdigits.bin", origin_of(row));
}

template <Result<Dataset> (*published)(const fs::path&, const Origin&)>
Result<Dataset> read_published(const DatasetRow& row, const DatasetFolder& settings, const std::string&) {
  return published(settings.path, origin_of(row));
}

Result<Dataset> read_csv_file(const DatasetRow&, const CsvFile& settings, const std::string&) {
  return load_csv(settings);
}

Result<Dataset> read_text_file(const DatasetRow&, const TextFile& settings, const std::string&) {
  return load_text(settings.path, settings.window);
}

template <class S>
using Read = Result<Dataset> (*)(const DatasetRow&, const S&, const std::string&);

/// The facts of a row's files.
struct Files {
  std::string_view licence;
  std::string_view get;
};

template <class S, Read<S> read>
consteval DatasetRow dataset_row(const settings::Row& facts, const Files& files,
                                 const KnownSize& known = {}) {
  DatasetRow made{facts, files.licence, files.get, known};
  made.settings = &settings::owned<S>;
  made.read = [](const DatasetRow& row, const void* settings,
                 const std::string& data_folder) -> Result<Dataset> {
    const S& own = *static_cast<const S*>(settings);
    if constexpr (requires { own.path; }) {
      if (own.path.empty())
        return refuse("", fmt::format("the data set `{}` has no path", row.name), std::string(row.get));
    }
    return read(row, own, data_folder);
  };
  return made;
}

constexpr std::array dataset_rows{
    dataset_row<settings::None, read_optdigits>(
        {"optdigits", "5620 handwritten digits of 8 x 8 pixels in 10 classes",
         "E. Alpaydin & C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning "
         "Repository, 1998, DOI 10.24432/C50P49"},
        {"CC BY 4.0", "use datasets/optdigits.bin, which is shipped with the program"},
        {3823, netmodels::Bytes{65}}),
    dataset_row<DatasetFolder, read_published<load_idx>>(
        {"mnist", "70000 handwritten digits of 28 x 28 pixels in 10 classes",
         "Y. LeCun, C. Cortes & C. J. C. Burges, The MNIST Database of Handwritten Digits, 1998"},
        {"CC BY-SA 3.0",
         "get train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
         "t10k-labels-idx1-ubyte.gz from http://yann.lecun.com/exdb/mnist and give their folder as path"},
        {60000, netmodels::Bytes{785}}),
    dataset_row<DatasetFolder, read_published<load_idx>>(
        {"fashion_mnist", "70000 pictures of clothes of 28 x 28 pixels in 10 classes",
         "H. Xiao, K. Rasul & R. Vollgraf, Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine "
         "Learning Algorithms, arXiv:1708.07747, 2017"},
        {"MIT",
         "get train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
         "t10k-labels-idx1-ubyte.gz from https://github.com/zalandoresearch/fashion-mnist (data/fashion) "
         "and give their folder as path"},
        {60000, netmodels::Bytes{785}}),
    dataset_row<DatasetFolder, read_published<load_cifar10>>(
        {"cifar10", "60000 colour pictures of 32 x 32 pixels in 10 classes",
         "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, University of Toronto, "
         "2009"},
        {"none stated; its authors ask to be cited",
         "get cifar-10-binary.tar.gz from https://www.cs.toronto.edu/~kriz/cifar.html, unpack it, and give "
         "the folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin as path"},
        {50000, netmodels::Bytes{3073}}),
    dataset_row<CsvFile, read_csv_file>(
        {"csv", "a file of numbers in columns with a label", "you"},
        {"yours", "give the file as path, and a file of test rows as test_path where there is one"}),
    dataset_row<TextFile, read_text_file>(
        {"text", "plain text: predict the next character from those before it", "you"},
        {"yours", "give the file as path"}),
};

}  // namespace

std::span<const DatasetRow> catalogue() { return dataset_rows; }

const DatasetRow* find_dataset(std::string_view name) { return settings::find_row(catalogue(), name); }

void describe(settings::Fields& fields, DatasetChoice& choice) {
  choice.describe_choice(fields,
                         {.name = "name", .doc = "A row of `sim list datasets`.", .fallback = "optdigits"},
                         catalogue(), settings::Layout::beside);
}

void describe(settings::Fields& fields, DatasetFolder& settings) {
  fields.field({.name = "path", .doc = "Folder of its files.", .example = "data/fashion-mnist"},
               settings.path);
}

Result<std::shared_ptr<const Dataset>> load(const DatasetChoice& choice, const std::string& data_folder) {
  GRADSIM_TRY(set, choice->read(choice.row(), choice.settings(), data_folder));
  return std::make_shared<const Dataset>(std::move(*set));
}

}  // namespace learning::datasets
