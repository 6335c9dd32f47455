// Stripes across or along: two classes that any model separates.
#pragma once

#include "learning/datasets/catalogue.hpp"
#include "learning/datasets/dataset.hpp"

namespace learning::datasets {

struct Stripes {
  int samples = 64;  ///< samples of the training set, at least 2

  bool operator==(const Stripes&) const = default;
};

void describe(settings::Fields& fields, Stripes& settings);
netmodels::Result<Dataset> make_stripes(const DatasetRow& row, const Stripes& settings, const std::string&);

}  // namespace learning::datasets
