// Data sets in files of numbers: comma-separated values with a label column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "learning/datasets/csv_table.hpp"
#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace learning::datasets {

/// A file of numbers, and how it becomes a data set.
struct CsvFile {
  std::string path;                           ///< one sample on each line, plain or gzip
  std::optional<std::string> test_path = {};  ///< the test samples; nothing: a share of `path` is held out
  LabelColumn label = LabelColumn::last;      ///< in both files
  double test_share = 0.2;                    ///< of the rows, in (0, 1), where there is no test file
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

}  // namespace learning::datasets
