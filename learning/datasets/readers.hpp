// The readers of data sets, one for each file format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "settings/key.hpp"

namespace learning::datasets {

// CIFAR-10 in its binary files: colour images of 32 x 32 pixels.

/// Reads data_batch_1.bin to data_batch_5.bin and test_batch.bin of a folder, each plain or gzip (then also
/// under its name with `.gz`): records of one label byte and 3072 pixels, plane by plane (red, green, blue).
/// Pixels of 0 to 255 become standardised values; a sample has the shape 3 x 32 x 32.
/// @returns an Error for a file that is missing, that is not whole records, or with a label above 9
/// Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", technical report, University
/// of
///         Toronto, 2009; layout as its download page describes it.
netmodels::Result<Dataset> load_cifar10(const std::filesystem::path& folder, const Origin& origin);

// Data sets in the IDX files of MNIST: grey images and their labels in four files.

/// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte
/// of a folder, each plain or gzip (then also under its name with `.gz`). Pixels of 0 to 255 become
/// standardised values; a sample has the shape 1 x rows x columns, 28 x 28 in the published sets; there are
/// 10 classes.
/// @returns an Error for a file that is missing, of another kind, of another size than its header says, for
///          labels above 9, and where images and labels, or training and test images, do not fit each other
/// Source: LeCun, Cortes & Burges, "The MNIST Database of Handwritten Digits", 1998, section "File formats".
netmodels::Result<Dataset> load_idx(const std::filesystem::path& folder, const Origin& origin);

// The data set that ships with the program: handwritten digits of 8 x 8 pixels, in one packed file.

/// Reads a packed file: `OPTD`, then training samples, test samples, pixels per sample (64) and classes (10)
/// as little-endian 32-bit numbers, the pixels of training and test samples, their labels, one byte each.
/// Pixels of 0 to 16 become standardised values; a sample has the shape 1 x 8 x 8.
/// @returns an Error for a file that is missing, of another kind, of another size than its header says, or
///          with a pixel or a label out of range
/// Source: Alpaydin & Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository,
///         1998, DOI 10.24432/C50P49.
netmodels::Result<Dataset> load_optdigits(const std::filesystem::path& path, const Origin& origin);

// A text of numbers in columns, one of them the label.

/// Column that bears the label.
enum class LabelColumn { last, first };

constexpr auto names_of(LabelColumn) {
  return std::to_array<settings::Named<LabelColumn>>(
      {{"last", LabelColumn::last}, {"first", LabelColumn::first}});
}

/// Contents of the text, row after row.
struct CsvTable {
  std::size_t features = 0;         ///< values per row, at least 1
  std::vector<double> values;       ///< row after row; finite, and within the range of a float
  std::vector<std::string> labels;  ///< one per row, as written

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
};

/// Reads rows parted by line ends, and columns parted by commas, or else by semicolons, or else by blanks:
/// what the first line with anything on it has. Blanks around a field and empty lines are skipped. That first
/// line is a header, and skipped, when it has two fields or more and none but the label's is a number; it may
/// have another number of columns.
/// @param source  for messages: the file's name
/// @returns at least one row, or an Error with line and column: a field that is not a finite number, rows of
///          unequal length, fewer than two columns, no rows at all, an empty label
netmodels::Result<CsvTable> read_csv(std::string_view text, std::string_view source, LabelColumn label);

// Data sets in files of numbers: comma-separated values with a label column.

/// A file of numbers, and how it becomes a data set.
struct CsvFile {
  std::string path;                           ///< one sample on each line, plain or gzip
  std::optional<std::string> test_path = {};  ///< the test samples; nothing: a share of `path` is held out
  LabelColumn label = LabelColumn::last;      ///< label column in both files
  double test_share = 0.2;                    ///< share of the rows, in (0, 1), where there is no test file
  std::uint64_t seed = 0;                     ///< decides which rows these are

  bool operator==(const CsvFile&) const = default;
};

void describe(settings::Fields& fields, CsvFile& settings);

/// Reads a file (plain or gzip) as `read_csv` says. Labels that are all whole numbers are sorted as numbers,
/// others as words; the classes are their places in that order, over both files. The test set is the test
/// file, or round(test_share * rows) rows, at least 1, drawn at random. Each feature is standardised: (value
/// - mean) / standard deviation, both taken over the training rows; a feature that is constant there becomes
/// 0.
/// @returns an Error as `read_csv`'s, or for fewer than two rows, fewer than two classes or more than 65,536,
///          and a test file with other columns
netmodels::Result<Dataset> load_csv(const CsvFile& file);

// A plain text as a data set: the next character is predicted from those before it.

/// The longest window.
inline constexpr int longest_window = 4096;

/// A text, and how it becomes a data set.
struct TextFile {
  std::string path;  ///< plain or gzip
  int window = 32;   ///< tokens that a sample holds, in [1, 4096]

  bool operator==(const TextFile&) const = default;
};

void describe(settings::Fields& fields, TextFile& settings);

/// Reads a text (plain or gzip). Its tokens are its bytes, numbered by the sorted alphabet of those that
/// occur; a sample is `window` tokens, its label the one after them, and windows begin at every token. The
/// last tenth of the text is the test set.
/// @param window  in [1, 4096]
/// @returns an Error for a file that cannot be read, a text with one character only, and one whose last tenth
///          holds no window with a token after it
/// Leaves out: characters of several bytes (UTF-8), which are as many tokens.
netmodels::Result<Dataset> load_text(const std::filesystem::path& path, int window);

}  // namespace learning::datasets
