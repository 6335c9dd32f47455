// Rows of the table of data sets.
#include "learning/datasets/catalogue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "learning/datasets/cifar10_files.hpp"
#include "learning/datasets/csv_file.hpp"
#include "learning/datasets/idx_files.hpp"
#include "learning/datasets/optdigits.hpp"
#include "learning/datasets/origin.hpp"
#include "learning/datasets/text_dataset.hpp"
#include "netmodels/nearest.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

/// What the row of a published set says of it.
Origin origin_of(const Source& source) {
  const CatalogueRow& row = *find_dataset(source.name).value();
  return {std::string(row.name), fmt::format("{}; {}", row.made_by, row.licence), std::string(row.get)};
}

template <Result<Dataset> (*published)(const fs::path&, const Origin&)>
Result<Dataset> read_published(const Source& source, const fs::path& path) {
  return published(path, origin_of(source));
}

Result<Dataset> read_csv_file(const Source& source, const fs::path& path) {
  return load_csv(path, {source.label, source.test_share, source.seed, source.test_path});
}

Result<Dataset> read_text_file(const Source& source, const fs::path& path) {
  return load_text(path, source.window);
}

constexpr std::array rows{
    CatalogueRow{"optdigits", "5620 handwritten digits of 8 x 8 pixels in 10 classes",
                 "E. Alpaydin & C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning "
                 "Repository, 1998, DOI 10.24432/C50P49",
                 "CC BY 4.0", "take datasets/optdigits.bin, which ships with the program", false,
                 read_published<load_optdigits>},
    CatalogueRow{
        "mnist", "70000 handwritten digits of 28 x 28 pixels in 10 classes",
        "Y. LeCun, C. Cortes & C. J. C. Burges, The MNIST Database of Handwritten Digits, 1998",
        "CC BY-SA 3.0",
        "get train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
        "t10k-labels-idx1-ubyte.gz from http://yann.lecun.com/exdb/mnist and give their folder as path",
        true, read_published<load_idx>},
    CatalogueRow{
        "fashion_mnist", "70000 pictures of clothes of 28 x 28 pixels in 10 classes",
        "H. Xiao, K. Rasul & R. Vollgraf, Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine "
        "Learning Algorithms, arXiv:1708.07747, 2017",
        "MIT",
        "get train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
        "t10k-labels-idx1-ubyte.gz from https://github.com/zalandoresearch/fashion-mnist (data/fashion) "
        "and give their folder as path",
        true, read_published<load_idx>},
    CatalogueRow{
        "cifar10", "60000 colour pictures of 32 x 32 pixels in 10 classes",
        "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, University of Toronto, 2009",
        "none stated; its authors ask to be cited",
        "get cifar-10-binary.tar.gz from https://www.cs.toronto.edu/~kriz/cifar.html, unpack it, and give "
        "the folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin as path",
        true, read_published<load_cifar10>},
    CatalogueRow{"csv", "a file of numbers in columns with a label", "you", "yours",
                 "give the file as path, and a file of test rows as test_path where there is one", true,
                 read_csv_file},
    CatalogueRow{"text", "a plain text: tell the next character from those before it", "you", "yours",
                 "give the file as path", true, read_text_file},
};

Result<void> check(const Source& source, const CatalogueRow& row) {
  if (row.needs_path && source.path.empty()) {
    return refuse("", fmt::format("the data set `{}` has no path", row.name), std::string(row.get));
  }
  if (!(source.test_share > 0 && source.test_share < 1)) {
    return refuse("", fmt::format("a test share of {}", source.test_share), "accepted: above 0 and below 1");
  }
  if (source.window < 1 || source.window > longest_window) {
    return refuse("", fmt::format("a window of {} tokens", source.window),
                  fmt::format("accepted: 1 to {}", longest_window));
  }
  return {};
}

}  // namespace

std::span<const CatalogueRow> catalogue() { return rows; }

Result<const CatalogueRow*> find_dataset(std::string_view name) {
  const auto row = std::ranges::find(rows, name, &CatalogueRow::name);
  if (row != rows.end()) return &*row;
  std::array<std::string_view, rows.size()> known;
  std::ranges::transform(rows, known.begin(), &CatalogueRow::name);
  return refuse("", fmt::format("no data set is named `{}`", name), netmodels::accepted_names(name, known));
}

Result<std::shared_ptr<const Dataset>> load(const Source& source, const fs::path& data_folder) {
  const auto row = find_dataset(source.name);
  if (!row) return tl::unexpected(row.error());
  if (const auto checked = check(source, **row); !checked) return tl::unexpected(checked.error());
  const fs::path path =
      source.path.empty() ? data_folder / "datasets" / "optdigits.bin" : fs::path(source.path);
  auto set = (*row)->read(source, path);
  if (!set) return tl::unexpected(set.error());
  return std::make_shared<const Dataset>(std::move(*set));
}

}  // namespace learning::datasets
