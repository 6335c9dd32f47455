// Measured binomial broadcasts of three libraries, predicted by what they run and a ping-pong of another line
// rate.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"
#include "files/input_file.hpp"
#include "tests/data_folder.hpp"

namespace calibrate::ledger {
namespace {

const std::filesystem::path live_folder = tests::data_path("mpi_live");

std::vector<SourceText> live_files() {
  std::vector<SourceText> sources;
  for (const char* name : {"sym_kernel.csv", "sym_delay.csv", "clean_kernel.csv"}) {
    const std::string path = (live_folder / name).string();
    sources.push_back({path, *files::read_text(path)});
  }
  return sources;
}

/// Of all broadcasts of a stack down a binomial tree.
double median_error(const std::string& stack, const std::vector<Prediction>& predictions) {
  std::vector<double> errors;
  for (const Prediction& each : predictions) {
    if (each.table.ends_with(stack + " bcast binomial")) errors.push_back(std::abs(each.error()));
  }
  EXPECT_GT(errors.size(), 30U) << stack;
  std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2));
  return errors[errors.size() / 2];
}

TEST(LiveBroadcasts, AreAsTheLibrariesSendThem) {
  const Evidence evidence{live_files(), live_files()};
  std::vector<Prediction> all = *predict_other_bandwidth(evidence);
  const std::vector<Prediction> rest = *predict_other_bandwidth_rest(evidence);
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_LT(median_error("gloo", all), 0.04);
  EXPECT_LT(median_error("ompi_eager", all), 0.1);
  EXPECT_LT(median_error("mpich_eager", all), 0.08);
}

}  // namespace
}  // namespace calibrate::ledger
