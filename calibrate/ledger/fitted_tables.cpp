// Rules by which fits to tables of collectives predict other sizes, collectives and ranks.
#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/fits/across_ranks.hpp"
#include "calibrate/fits/fit_file.hpp"
#include "calibrate/fits/held_out.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "calibrate/ledger/rules.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::ledger {

// Fits to every second size of a table predict the sizes between them.

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

// Fits that were made elsewhere predict the measurements of the same collective on as many ranks.

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
                "available: " + netmodels::join(names));
}

/// The facts identify measurements; where they name no source, the file's name does.
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

// The all-reduce of a cluster predicts its other collectives.

namespace {

using measurements::bus_factor;
using netmodels::refuse;
using netmodels::Result;

/// Fitted all-reduces by their number of ranks; by their pieces, as the points are of one collective only.
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
    fitted.by_ranks[measured->ranks] = fits::SegmentModel{fit->model.segments};
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
      return refuse(source.path,
                    fmt::format("no all_reduce on {} ranks is given under `seen`", measured->ranks),
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

// Tables on some numbers of ranks predict tables on others.

namespace {

using measurements::Measurements;
using netmodels::refuse;
using netmodels::Result;

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
    return refuse(source, fmt::format("{} ranks are under `seen` too", table.ranks),
                  "name it on one side only");
  return {};
}

}  // namespace

Result<std::vector<Prediction>> predict_other_ranks(const Evidence& evidence) {
  GRADSIM_TRY(seen, read_tables(evidence.seen));
  const auto model = fits::choose_across_ranks(*seen);
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
