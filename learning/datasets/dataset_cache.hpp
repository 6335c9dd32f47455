// Data sets that several learners use, each read once.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "learning/datasets/catalogue.hpp"
#include "netmodels/result.hpp"

namespace learning::datasets {

/// Reads data sets and keeps them in memory.
class DatasetCache {
 public:
  /// @param data_folder  the shipped `scenarios`
  explicit DatasetCache(std::string data_folder) : data_folder_(std::move(data_folder)) {}

  [[nodiscard]] const std::string& data_folder() const { return data_folder_; }

  /// @returns the data set, read at the first call with these settings, or an Error as `load`'s
  netmodels::Result<std::shared_ptr<const Dataset>> get(const DatasetChoice& choice) {
    const auto kept = std::ranges::find(kept_, choice, &Kept::first);
    if (kept != kept_.end()) return kept->second;
    auto loaded = load(choice, data_folder_);
    if (loaded) kept_.emplace_back(choice, *loaded);
    return loaded;
  }

 private:
  using Kept = std::pair<DatasetChoice, std::shared_ptr<const Dataset>>;

  std::string data_folder_;
  std::vector<Kept> kept_;
};

}  // namespace learning::datasets
