// The all-reduce of a cluster predicts its other collectives.
#include <map>

#include <fmt/format.h>

#include "calibrate/fits/held_out.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement_csv.hpp"

namespace calibrate::ledger {
namespace {

using measurements::bus_factor;
using netmodels::refuse;
using netmodels::Result;

/// Fitted all-reduces by their number of ranks.
struct AllReduces {
  const measurements::Operation* operation = nullptr;
  std::map<int, fits::SegmentModel> by_ranks;
};

Result<AllReduces> fit_all_reduces(const std::vector<SourceText>& sources) {
  AllReduces fitted;
  for (const SourceText& source : sources) {
    GRADSIM_TRY(measured, measurements::parse_csv(source.text, source.path));
    if (measured->operation->name != "all_reduce")
      return refuse(source.path, fmt::format("this is {}", measured->operation->name),
                    "the rule other_collective sees an all_reduce");
    const auto fit = fits::fit_held_out(measured->points, std::nullopt);
    if (!fit) return refuse(source.path, fit.error().what, fit.error().hint);
    fitted.operation = measured->operation;
    fitted.by_ranks[measured->ranks] = fit->model;
  }
  return fitted;
}

}  // namespace

Result<std::vector<Prediction>> predict_other_collective(const Evidence& evidence) {
  GRADSIM_TRY(fitted, fit_all_reduces(evidence.seen));
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(measured, measurements::parse_csv(source.text, source.path));
    const auto model = fitted->by_ranks.find(measured->ranks);
    if (model == fitted->by_ranks.end())
      return refuse(source.path, fmt::format("no all_reduce on {} ranks is seen", measured->ranks),
                    "name one under `seen`");
    const double scale =
        bus_factor(*measured->operation, measured->ranks) / bus_factor(*fitted->operation, measured->ranks);
    for (const measurements::MeasuredPoint& point : measured->points) {
      predictions.push_back({file_name(source.path), size_label(point.size), "s", point.size,
                             point.time.count, fits::predict(model->second, point.size * scale).count});
    }
  }
  return predictions;
}

}  // namespace calibrate::ledger
