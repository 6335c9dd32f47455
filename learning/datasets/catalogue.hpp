// The one table of data sets: name, what it is, where its files come from, and how they are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "learning/datasets/csv_table.hpp"
#include "learning/datasets/dataset.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// Which data set is wanted; each row takes what it needs and ignores the rest.
struct Source {
  std::string name = "optdigits";         ///< a row of the table
  std::string path{};                     ///< its file or folder; optdigits: empty is the shipped file
  std::string test_path{};                ///< csv: the file with the test rows; empty: a share is held out
  double test_share = 0.2;                ///< csv: in (0, 1), of the rows
  LabelColumn label = LabelColumn::last;  ///< csv
  int window = 32;                        ///< text: tokens per sample, in [1, 4096]
  std::uint64_t seed = 0;                 ///< csv: decides which rows are held out

  bool operator==(const Source&) const = default;
};

/// One row of the table.
struct CatalogueRow {
  std::string_view name;
  std::string_view summary;
  std::string_view made_by;  ///< authors, title, where published
  std::string_view licence;
  std::string_view get;  ///< the files it needs, and where they are to be had
  bool needs_path;
  /// @param path  of the file or folder, not empty
  netmodels::Result<Dataset> (*read)(const Source& source, const std::filesystem::path& path);
};

/// Every kind of data set, in a stable order.
std::span<const CatalogueRow> catalogue();

/// @returns the row, or an Error that names the nearest known one
netmodels::Result<const CatalogueRow*> find_dataset(std::string_view name);

/// Reads a data set into memory.
/// @param data_folder  the shipped `scenarios`; only optdigits without a path lies there
/// @returns an Error for an unknown name, a value out of its range, a path that is missing (with where to get
/// the
///          files), or files that are not what they should be
netmodels::Result<std::shared_ptr<const Dataset>> load(const Source& source,
                                                       const std::filesystem::path& data_folder);

}  // namespace learning::datasets
