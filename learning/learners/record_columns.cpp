// Headers of records, read and written.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "learning/learners/record_file.hpp"
#include "netmodels/nearest.hpp"

namespace learning::learners {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::string_view norm_of_worker = "squared_norm_";
constexpr std::string_view gain_raw = "gain_raw_";
constexpr std::string_view gain_fed = "gain_";

struct NamedCurve {
  std::string_view name;
  Curve Record::*curve;
  double most = unbounded;
  double least = 0;
};

constexpr std::array named_curves{
    NamedCurve{"samples", &Record::samples},
    NamedCurve{"learning_rate", &Record::learning_rate},
    NamedCurve{"loss", &Record::loss},
    NamedCurve{"test_loss", &Record::test_loss},
    NamedCurve{"accuracy", &Record::accuracy, 1},
    NamedCurve{"mean_squared_norm", &Record::mean_squared_norm},
    NamedCurve{"noise_scale", &Record::noise_scale},
    NamedCurve{"relative_change", &Record::relative_change, unbounded, -1},
    NamedCurve{"squared_norm", &Record::squared_norm},
};

/// Number of the worker after `squared_norm_`.
std::optional<std::size_t> worker_of(std::string_view name) {
  constexpr double most_workers = 1e6;
  if (!name.starts_with(norm_of_worker)) return std::nullopt;
  const auto number = read_finite(name.substr(norm_of_worker.size()));
  if (!number || *number < 0 || *number >= most_workers) return std::nullopt;
  const auto worker = static_cast<std::size_t>(*number);
  return name == fmt::format("{}{}", norm_of_worker, worker) ? std::optional(worker) : std::nullopt;
}

std::optional<RecordedGain> gain_of(std::string_view name) {
  const bool is_raw = name.starts_with(gain_raw);
  if (!is_raw && !name.starts_with(gain_fed)) return std::nullopt;
  const auto ratio = read_finite(name.substr(is_raw ? gain_raw.size() : gain_fed.size()));
  if (!ratio || *ratio <= 0 || *ratio >= 1) return std::nullopt;
  return RecordedGain{*ratio, !is_raw, {}};
}

std::string name_of(const RecordedGain& gain) {
  return fmt::format("{}{}", gain.error_feedback ? gain_fed : gain_raw, gain.ratio);
}

Result<void> check_names(const RecordLines& header) {
  const auto& names = header.cells();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_known =
        names[i] == "step" ||
        std::ranges::find(named_curves, names[i], &NamedCurve::name) != named_curves.end() ||
        worker_of(names[i]) || gain_of(names[i]);
    if (!is_known) {
      std::vector<std::string_view> known{"step"};
      for (const NamedCurve& row : named_curves) known.push_back(row.name);
      known.insert(known.end(), {"squared_norm_0", "gain_0.1", "gain_raw_0.1"});
      return refuse(header.place(i), fmt::format("unknown column `{}`", names[i]),
                    netmodels::accepted_names(names[i], known));
    }
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return refuse(header.place(i), fmt::format("duplicate column `{}`", names[i]), "leave one of them out");
    }
    const auto gain = gain_of(names[i]);
    for (std::size_t before = 0; gain && before < i; ++before) {
      if (gain_of(names[before]) != gain) continue;
      return refuse(header.place(i),
                    fmt::format("column `{}` has the same ratio as `{}`", names[i], names[before]),
                    "leave one of them out");
    }
  }
  return {};
}

/// Sets the number of workers' columns and the gains.
Result<void> make_room(const RecordLines& header, Record& record) {
  std::size_t workers = 0;
  for (const std::string_view name : header.cells()) {
    if (worker_of(name)) ++workers;
    if (auto gain = gain_of(name)) record.gains.push_back(*gain);
  }
  for (std::size_t i = 0; i < header.cells().size(); ++i) {
    if (worker_of(header.cells()[i]).value_or(0) >= std::max<std::size_t>(workers, 1)) {
      return refuse(header.place(i), fmt::format("column `{}` leaves out a worker", header.cells()[i]),
                    "number the workers from 0 without gaps");
    }
  }
  record.squared_norms.resize(workers);
  std::ranges::sort(record.gains, [](const RecordedGain& a, const RecordedGain& b) {
    return a.error_feedback != b.error_feedback ? a.error_feedback : a.ratio < b.ratio;
  });
  return {};
}

RecordColumn column_of(std::string_view name, Record& record) {
  if (const auto worker = worker_of(name))
    return {std::string(name), 0, unbounded, &record.squared_norms[*worker]};
  if (const auto gain = gain_of(name)) {
    const auto row = std::ranges::find_if(record.gains, [&](const RecordedGain& known) {
      return known.ratio == gain->ratio && known.error_feedback == gain->error_feedback;
    });
    return {std::string(name), 0, unbounded, &row->by_step};
  }
  const auto row = std::ranges::find(named_curves, name, &NamedCurve::name);
  if (row == named_curves.end()) return {"step", 0, unbounded, nullptr};
  return {std::string(name), row->least, row->most, &(record.*row->curve)};
}

bool holds(const RecordLines& header, std::string_view name) {
  return std::ranges::find(header.cells(), name) != header.cells().end();
}

}  // namespace

Result<std::vector<RecordColumn>> read_columns(const RecordLines& header, Record& record) {
  if (const auto checked = check_names(header); !checked) return tl::unexpected(checked.error());
  if (!holds(header, "step"))
    return refuse(header.place(0), "column `step` is missing", "number the steps from 1");
  if (!holds(header, "squared_norm") && !holds(header, "squared_norm_0")) {
    return refuse(header.place(0), "column `squared_norm` is missing",
                  "record the workers' norms, or their mean");
  }
  if (const auto made = make_room(header, record); !made) return tl::unexpected(made.error());
  std::vector<RecordColumn> columns;
  for (const std::string_view name : header.cells()) columns.push_back(column_of(name, record));
  return columns;
}

std::vector<RecordColumn> columns_of(Record& record) {
  std::vector<RecordColumn> columns{{"step", 0, unbounded, nullptr}};
  const auto add = [&](std::string name, double least, double most, Curve& curve) {
    if (!curve.empty()) columns.push_back({std::move(name), least, most, &curve});
  };
  for (const NamedCurve& row : named_curves)
    add(std::string(row.name), row.least, row.most, record.*row.curve);
  for (std::size_t worker = 0; worker < record.squared_norms.size(); ++worker)
    columns.push_back(
        {fmt::format("{}{}", norm_of_worker, worker), 0, unbounded, &record.squared_norms[worker]});
  for (RecordedGain& gain : record.gains) add(name_of(gain), 0, unbounded, gain.by_step);
  return columns;
}

}  // namespace learning::learners
