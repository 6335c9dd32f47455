// Tables on some numbers of ranks predict tables on others.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/fits/across_ranks.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement_csv.hpp"

namespace calibrate::ledger {
namespace {

using measurements::Measurements;
using netmodels::refuse;
using netmodels::Result;

/// Drops sizes that lie close above the one before: a table with a size each MB has little to say of small
/// ones.
void thin(std::vector<measurements::MeasuredPoint>& points) {
  const double least_step = std::pow(2, 0.25);
  netmodels::Bytes last{0};
  std::erase_if(points, [&](const measurements::MeasuredPoint& point) {
    if (point.size < last * least_step) return true;
    last = point.size;
    return false;
  });
}

Result<std::vector<Measurements>> read_tables(const std::vector<SourceText>& sources) {
  std::vector<Measurements> tables;
  for (const SourceText& source : sources) {
    GRADSIM_TRY(table, imports::is_vtrain_table(source.text)
                           ? imports::import_vtrain_table(source.text, source.path)
                           : measurements::parse_csv(source.text, source.path));
    tables.push_back(std::move(*table));
  }
  return tables;
}

Result<void> check(const Measurements& table, const std::vector<Measurements>& seen,
                   const std::string& source) {
  if (table.operation != seen.front().operation)
    return refuse(source, fmt::format("this is {}, and {} is seen", table.operation->name,
                                      seen.front().operation->name));
  if (std::ranges::find(seen, table.ranks, &Measurements::ranks) != seen.end())
    return refuse(source, fmt::format("{} ranks are seen too", table.ranks), "name it on one side only");
  return {};
}

}  // namespace

Result<std::vector<Prediction>> predict_other_ranks(const Evidence& evidence) {
  GRADSIM_TRY(seen, read_tables(evidence.seen));
  for (Measurements& table : *seen) thin(table.points);
  const auto model = fits::fit_across_ranks(*seen);
  if (!model) return refuse(evidence.seen.front().path, model.error().what, model.error().hint);
  GRADSIM_TRY(measured, read_tables(evidence.measured));
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < measured->size(); ++i) {
    const Measurements& table = (*measured)[i];
    const std::string& path = evidence.measured[i].path;
    if (const auto checked = check(table, *seen, path); !checked) return tl::unexpected(checked.error());
    for (const measurements::MeasuredPoint& point : table.points)
      predictions.push_back({file_name(path), size_label(point.size), "s", point.size, point.time.count,
                             fits::predict(*model, table.ranks, point.size).count});
  }
  return predictions;
}

}  // namespace calibrate::ledger
