// Ping-pongs at another line rate predict live MPI collectives.
#include <fmt/format.h>

#include "calibrate/ledger/live_prediction.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::Result;

constexpr netmodels::Bytes least_of_rest{64 * 1024};

Prediction prediction_of(const LiveSource& source, netmodels::Seconds predicted) {
  const imports::LiveRow& row = source.row;
  return {
      fmt::format("{}: {} {} {}", file_name(source.file), row.setting.stack, row.collective, row.algorithm),
      fmt::format("{} on {} ranks, {}, delay {}", size_label(row.size), row.setting.ranks,
                  netmodels::print(row.setting.line), netmodels::print(row.setting.delay)),
      "s",
      row.size,
      row.time.count,
      predicted.count};
}

Result<std::vector<Prediction>> predict_rows(const Evidence& evidence, bool clean) {
  GRADSIM_TRY(seen, read_live(evidence.seen));
  GRADSIM_TRY(pings, PingPongs::fit(*seen));
  GRADSIM_TRY(measured, read_live(evidence.measured));
  std::vector<Prediction> predictions;
  for (const LiveSource& source : *measured) {
    if (is_clean(source.row) != clean || source.row.size < least_of_rest) continue;
    const auto link = pings->link_at_other_rate(source.file, source.row.setting);
    const auto predicted = link ? predict_live(source.row, *link) : std::nullopt;
    if (predicted) predictions.push_back(prediction_of(source, *predicted));
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_other_bandwidth(const Evidence& evidence) {
  return predict_rows(evidence, true);
}

Result<std::vector<Prediction>> predict_other_bandwidth_rest(const Evidence& evidence) {
  return predict_rows(evidence, false);
}

}  // namespace calibrate::ledger
