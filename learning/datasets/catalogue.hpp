// The table of data sets: name, description, source of its files, settings, and reader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/choice.hpp"

namespace learning::datasets {

struct Dataset;

/// Size of a data set as known without reading it; nothing where it depends on the file.
struct KnownSize {
  std::optional<std::int64_t> samples = std::nullopt;     ///< samples of the training set
  std::optional<netmodels::Bytes> sample = std::nullopt;  ///< one stored sample with its label of one byte
};

/// One row. Its `source` is authors, title and where it was published.
struct DatasetRow : settings::Row {
  std::string_view licence;
  std::string_view get;  ///< the files it needs, and where they are available
  KnownSize known;
  netmodels::Result<Dataset> (*read)(const DatasetRow& row, const void* settings,
                                     const std::string& data_folder) = nullptr;
};

/// Every kind of data set, in a stable order; the first, which is the default, ships with the program.
std::span<const DatasetRow> catalogue();
inline const DatasetRow& default_row(std::type_identity<DatasetRow>) { return catalogue().front(); }

/// A data set with its settings: the map under `learner.dataset`.
using DatasetChoice = settings::RowChoice<DatasetRow>;

void describe(settings::Fields& fields, DatasetChoice& choice);
constexpr std::string_view choice_key(std::type_identity<DatasetChoice>) { return "name"; }

/// The settings of a published data set.
struct DatasetFolder {
  std::string path;  ///< folder of its files

  bool operator==(const DatasetFolder&) const = default;
};

void describe(settings::Fields& fields, DatasetFolder& settings);

/// @returns the row, or nullptr when there is no such name
const DatasetRow* find_dataset(std::string_view name);

/// A choice by name, for code and tests that state one: `dataset("mnist", DatasetFolder{"data/mnist"})`.
/// @param name  of a row whose settings are of type `S`
template <class S>
DatasetChoice dataset(std::string_view name, S settings) {
  return {*find_dataset(name), std::move(settings)};
}

/// Reads a data set into memory.
/// @param data_folder  the shipped `scenarios`; optdigits lies there
/// @returns an Error for a path that is missing (with where to get the files), or files that are not what
///          they should be
netmodels::Result<std::shared_ptr<const Dataset>> load(const DatasetChoice& choice,
                                                       const std::string& data_folder);

}  // namespace learning::datasets
