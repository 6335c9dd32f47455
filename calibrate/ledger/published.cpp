// Published figures, predicted by scenarios.
#include "calibrate/imports/sim_result.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {

netmodels::Result<std::vector<Prediction>> predict_published(const Evidence& evidence) {
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(figures, imports::read_sim_result(source.text, source.path));
    const std::size_t before = predictions.size();
    for (const imports::SimFigure& each : *figures) {
      if (!each.is_input)
        predictions.push_back({each.scenario, each.what, "as published", std::nullopt, each.theirs, each.ours,
                               false, each.arm});
    }
    if (predictions.size() == before)
      return netmodels::refuse(source.path, "the result has no published figure",
                               "the scenario's `expect` states them");
  }
  return predictions;
}

}  // namespace calibrate::ledger
