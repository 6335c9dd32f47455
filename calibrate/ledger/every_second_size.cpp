// Segments fitted to every second size of a table predict the sizes between them.
#include "calibrate/fits/held_out.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement_csv.hpp"

namespace calibrate::ledger {

netmodels::Result<std::vector<Prediction>> predict_every_second_size(const Evidence& evidence) {
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(measured, measurements::parse_csv(source.text, source.path));
    const auto held_out = fits::predict_held_out(measured->points, std::nullopt);
    if (!held_out) return netmodels::refuse(source.path, held_out.error().what, held_out.error().hint);
    for (const fits::HeldOutPoint& each : *held_out) {
      predictions.push_back({file_name(source.path), size_label(each.measured.size), "s", each.measured.size,
                             each.measured.time.count, each.predicted.count});
    }
  }
  return predictions;
}

}  // namespace calibrate::ledger
