// Data sets in files of numbers: comma-separated values with a label column.
#pragma once

#include <cstdint>
#include <filesystem>

#include "learning/datasets/csv_table.hpp"
#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// How a file of numbers becomes a data set.
struct CsvReading {
  LabelColumn label = LabelColumn::last;
  double test_share = 0.2;            ///< of the rows, in (0, 1), where there is no test file
  std::uint64_t seed = 0;             ///< decides which rows these are
  std::filesystem::path test_file{};  ///< empty: the test set is held out of the one file
};

/// Reads a file (plain or gzip) as `read_csv` says. Labels that are all whole numbers are sorted as numbers,
/// others as words; the classes are their places in that order, over both files. The test set is the test
/// file, or round(test_share * rows) rows, at least 1, drawn at random. Each feature is standardised: (value
/// - mean) / standard deviation, both taken over the training rows; a feature that is constant there becomes
/// 0.
/// @returns an Error as `read_csv`'s, or for fewer than two rows, fewer than two classes or more than 65,536,
///          and a test file with other columns
netmodels::Result<Dataset> load_csv(const std::filesystem::path& path, const CsvReading& reading);

}  // namespace learning::datasets
