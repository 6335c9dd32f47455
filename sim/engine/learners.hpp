// Learners made as a scenario asks for them.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "learning/datasets/catalogue.hpp"
#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// What a scenario sends in place of gradients, where no policy decides it step by step.
learning::learners::Compression stated_compression(const scenario::Scenario& scenario);

/// Makes learners, and keeps data sets that several of them use.
class LearnerShelf {
 public:
  /// @param data_dir  the shipped `scenarios`
  explicit LearnerShelf(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}

  /// @returns a learner in its first state, null where the scenario has none, or an Error for a data set or a
  ///          record that cannot be read, a model that cannot take such samples, and a compression that no
  ///          gradient can really go through
  netmodels::Result<std::unique_ptr<learning::learners::Learner>> make(const scenario::Scenario& scenario);

 private:
  netmodels::Result<std::shared_ptr<const learning::datasets::Dataset>> dataset(
      const scenario::Scenario& scenario);
  netmodels::Result<std::unique_ptr<learning::learners::Learner>> live(const scenario::Scenario& scenario);

  std::filesystem::path data_dir_;
  using Kept = std::pair<learning::datasets::Source, std::shared_ptr<const learning::datasets::Dataset>>;
  std::vector<Kept> datasets_;
};

}  // namespace sim::engine
