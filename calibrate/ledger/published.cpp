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
        predictions.push_back({each.scenario, each.what, std::string(published_unit), std::nullopt,
                               each.theirs, each.ours, false, each.arm});
    }
    if (predictions.size() == before)
      return netmodels::refuse(source.path, "the result has no published figure",
                               "the scenario's `expect` states them");
  }
  return predictions;
}

netmodels::Result<std::vector<FigureCounts>> count_published(const Evidence& evidence) {
  std::vector<FigureCounts> counts;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(figures, imports::read_sim_result(source.text, source.path));
    if (figures->empty()) continue;
    FigureCounts& table = counts.emplace_back(FigureCounts{figures->front().scenario});
    for (const imports::SimFigure& each : *figures) {
      if (each.is_fitted)
        ++table.fitted;
      else if (each.is_input)
        ++table.inputs;
      else
        ++table.predicted;
      if (!each.is_input && !each.is_judged) ++table.unjudged;
    }
  }
  return counts;
}

}  // namespace calibrate::ledger
