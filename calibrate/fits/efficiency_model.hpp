// The file of a fitted law: provenance, then one table of figures and curves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calibrate/fits/statistical.hpp"

namespace calibrate::fits {

/// What was trained and where the trainings come from. Text for people, on one line each.
struct LawFacts {
  std::string model{};
  std::string data_set{};
  std::int64_t data_set_samples = 1;  ///< of the training set
  std::string source{};
  std::string licence{};
};

/// The text: lines `# key: value`, then quantity,method,at,value. `at` is a progress (0 at the start, 1 at
/// the target), or the ratio of a gain or slowdown. Figures are written so that they read back
/// as the same numbers: curves rise as strictly as they do here.
/// @param version  of the program
std::string print_law(const StatisticalFit& fit, const LawFacts& facts, std::string_view version);

/// For people: measured and fitted steps of each batch, their errors in the sample and held out, and how far
/// the noise scale lies from B_crit.
std::string describe_fit(const StatisticalFit& fit);

}  // namespace calibrate::fits
