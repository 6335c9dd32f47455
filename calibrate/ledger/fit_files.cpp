// Fits that were made elsewhere predict the measurements of the same collective on as many ranks.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/fits/fit_file.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<std::vector<fits::FitRecord>> read_fits(const std::vector<SourceText>& sources) {
  std::vector<fits::FitRecord> all;
  for (const SourceText& source : sources) {
    auto records = fits::parse_fits(source.text, source.path);
    if (!records) return records;
    std::ranges::move(*records, std::back_inserter(all));
  }
  return all;
}

Result<const fits::FitRecord*> find_fit(const std::vector<fits::FitRecord>& fits, const std::string& source,
                                        const measurements::Measurements& measured) {
  const auto fit = std::ranges::find_if(fits, [&](const fits::FitRecord& each) {
    return each.operation == measured.operation && each.ranks == measured.ranks;
  });
  if (fit != fits.end()) return &*fit;
  std::vector<std::string> known;
  for (const fits::FitRecord& each : fits)
    known.push_back(fmt::format("{} on {} ranks", each.operation->name, each.ranks));
  const std::vector<std::string_view> names(known.begin(), known.end());
  return refuse(source, fmt::format("no fit of {} on {} ranks", measured.operation->name, measured.ranks),
                "there is " + netmodels::join(names));
}

/// The facts tell measurements apart; where they name no source, the file's name does.
bool was_fitted_to(const fits::FitRecord& fit, const std::string& path,
                   const measurements::Measurements& measured) {
  measurements::Facts facts = measured.facts;
  facts.notes.clear();
  if (fit.facts != facts) return false;
  return facts.source || fit.measurements == file_name(path);
}

}  // namespace

Result<std::vector<Prediction>> predict_by_fit_files(const Evidence& evidence) {
  GRADSIM_TRY(fits, read_fits(evidence.seen));
  std::vector<Prediction> predictions;
  for (const SourceText& source : evidence.measured) {
    GRADSIM_TRY(measured, measurements::parse_csv(source.text, source.path));
    GRADSIM_TRY(fit, find_fit(*fits, source.path, *measured));
    const bool in_sample = was_fitted_to(**fit, source.path, *measured);
    for (const measurements::MeasuredPoint& point : measured->points) {
      predictions.push_back({file_name(source.path), size_label(point.size), "s", point.size,
                             point.time.count, fits::predict((*fit)->fit.model, point.size).count,
                             in_sample});
    }
  }
  return predictions;
}

}  // namespace calibrate::ledger
