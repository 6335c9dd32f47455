// Makes the learners of a scenario.
#pragma once

#include <filesystem>
#include <memory>

#include "learning/datasets/dataset_cache.hpp"
#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The compression of a training where no policy decides it step by step.
learning::learners::Compression stated_compression(const scenario::Compression& compression,
                                                   const scenario::Learner& learner);

/// Makes learners, and keeps data sets that several of them use.
class LearnerShelf {
 public:
  /// @param data_dir  the shipped `scenarios`
  /// @param threads   that a live learner may use, at least 1
  explicit LearnerShelf(const std::filesystem::path& data_dir, std::size_t threads = 1)
      : datasets_(data_dir.string()), threads_(threads) {}

  /// @returns a learner in its first state, null where the scenario has none, or an Error for a data set or a
  ///          record that cannot be read, a model that cannot take such samples, and a compression whose
  ///          effect on gradients the learner does not know
  netmodels::Result<std::unique_ptr<learning::learners::Learner>> make(const scenario::Scenario& scenario);

 private:
  learning::datasets::DatasetCache datasets_;
  std::size_t threads_;
};

}  // namespace sim::engine
