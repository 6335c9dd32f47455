// Fitted convergence models, and their files.
#include "learning/learners/convergence_model.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "files/input_file.hpp"
#include "learning/learners/record_curve.hpp"
#include "netmodels/nearest.hpp"

namespace learning::learners {

// The figures of a step by a convergence model.

double growth(const ConvergenceModel& law, double progress) {
  if (law.noise_scale.empty()) return 1;
  return value_clamped(law.noise_scale, progress) / mean_to_one(law.noise_scale);
}

double noise_scale(const ConvergenceModel& law, double progress) {
  return law.noise_scale.empty() ? law.critical_batch : value_clamped(law.noise_scale, progress);
}

double progress_of_step(const ConvergenceModel& law, double progress, double batch, double slowdown) {
  return 1 / (law.least_steps * (1 + law.critical_batch * growth(law, progress) / batch) * slowdown);
}

const Curve* find_curve(const std::vector<MethodCurve>& curves, const Compression& compression) {
  const std::string name = table_name(compression);
  const auto row = std::ranges::find_if(curves, [&](const MethodCurve& curve) {
    return curve.method == name && curve.error_feedback == compression.error_feedback;
  });
  return row == curves.end() ? nullptr : &row->by_ratio;
}

// Reading of convergence models.

namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::min();
constexpr std::array<std::string_view, 4> header = {"quantity", "method", "at", "value"};

struct Figure {
  std::string_view name;
  double ConvergenceModel::*target;
  double least;
  double most;
};

constexpr std::array figures{
    Figure{"target_accuracy", &ConvergenceModel::target_accuracy, smallest, 1},
    Figure{"least_steps", &ConvergenceModel::least_steps, smallest, no_bound},
    Figure{"critical_batch", &ConvergenceModel::critical_batch, 0, no_bound},
    Figure{"smallest_batch", &ConvergenceModel::smallest_batch, 1, no_bound},
    Figure{"largest_batch", &ConvergenceModel::largest_batch, 1, no_bound},
};

struct ProgressCurve {
  std::string_view name;
  Curve ConvergenceModel::*target;
  double most;
};

constexpr std::array progress_curves{
    ProgressCurve{"accuracy", &ConvergenceModel::accuracy, 1},
    ProgressCurve{"loss", &ConvergenceModel::loss, no_bound},
    ProgressCurve{"test_loss", &ConvergenceModel::test_loss, no_bound},
    ProgressCurve{"noise_scale", &ConvergenceModel::noise_scale, no_bound},
    ProgressCurve{"squared_norm", &ConvergenceModel::squared_norm, no_bound},
};

struct MethodTable {
  std::string_view name;
  std::vector<MethodCurve> ConvergenceModel::*target;
  bool error_feedback;
  double least;
};

constexpr std::array method_tables{
    MethodTable{"gain", &ConvergenceModel::gains, true, 0},
    MethodTable{"gain_raw", &ConvergenceModel::gains, false, 0},
    MethodTable{"slowdown", &ConvergenceModel::slowdowns, true, smallest},
    MethodTable{"slowdown_raw", &ConvergenceModel::slowdowns, false, smallest},
};

/// @param method  as `table_name` writes it
bool sends_all_at_one(std::string_view method) {
  constexpr std::string_view by_variance = "_by_variance";
  if (method.ends_with(by_variance)) method.remove_suffix(by_variance.size());
  return sends_all({std::string(method), 1, true, false});
}

/// The number in a cell that must hold one.
Result<double> number(const RecordLines& lines, std::size_t cell, double least, double most) {
  GRADSIM_TRY(value, lines.number(cell, header[cell], least, most));
  if (*value) return **value;
  return refuse(lines.place(cell), fmt::format("`{}` of `{}` is empty", header[cell], lines.cells()[0]),
                "write a number");
}

Result<void> expect_empty(const RecordLines& lines, std::size_t cell) {
  if (lines.cells()[cell].empty()) return {};
  return refuse(lines.place(cell), fmt::format("`{}` has no `{}`", lines.cells()[0], header[cell]),
                "leave the cell empty");
}

Result<void> append(const RecordLines& lines, Curve& curve, double least, double most) {
  GRADSIM_TRY(at, number(lines, 2, 0, no_bound));
  GRADSIM_TRY(value, number(lines, 3, least, most));
  if (!curve.empty() && *at <= curve.back().at) {
    return refuse(lines.place(2), fmt::format("`at` of `{}` does not increase", lines.cells()[0]),
                  "write its rows in increasing order, each position once");
  }
  curve.push_back({*at, *value});
  return {};
}

/// The rows read so far.
class LawReader {
 public:
  explicit LawReader(ConvergenceModel& law) : law_(law) {}

  Result<void> row(const RecordLines& lines) {
    const std::string_view name = lines.cells()[0];
    const auto figure = std::ranges::find(figures, name, &Figure::name);
    if (figure != figures.end()) return read_figure(lines, *figure);
    const auto curve = std::ranges::find(progress_curves, name, &ProgressCurve::name);
    if (curve != progress_curves.end()) return read_curve(lines, *curve);
    const auto table = std::ranges::find(method_tables, name, &MethodTable::name);
    if (table != method_tables.end()) return read_method(lines, *table);
    return refuse(lines.place(0), fmt::format("unknown quantity `{}`", name),
                  netmodels::accepted_names(name, quantities()));
  }

  /// Returns an Error for a model without a required entry.
  Result<void> finish(const std::string& source) const {
    for (const Figure& figure : figures) {
      if (!seen_.contains(figure.name)) {
        return refuse(source, fmt::format("the quantity `{}` is missing", figure.name),
                      fmt::format("add a row `{},,,VALUE`", figure.name));
      }
    }
    if (law_.accuracy.empty())
      return refuse(source, "the quantity `accuracy` is missing", "add rows `accuracy,,PROGRESS,VALUE`");
    if (law_.smallest_batch > law_.largest_batch)
      return refuse(source, "`smallest_batch` is above `largest_batch`", "change the two");
    if (!law_.noise_scale.empty() && mean_to_one(law_.noise_scale) <= 0)
      return refuse(source, "`noise_scale` is 0 all the way to the target", "leave its rows out");
    return {};
  }

 private:
  static std::vector<std::string_view> quantities() {
    std::vector<std::string_view> names;
    names.reserve(figures.size() + progress_curves.size() + method_tables.size());
    for (const Figure& row : figures) names.push_back(row.name);
    for (const ProgressCurve& row : progress_curves) names.push_back(row.name);
    for (const MethodTable& row : method_tables) names.push_back(row.name);
    return names;
  }

  Result<void> read_figure(const RecordLines& lines, const Figure& figure) {
    for (const std::size_t cell : {std::size_t{1}, std::size_t{2}}) {
      if (auto empty = expect_empty(lines, cell); !empty) return empty;
    }
    if (!seen_.insert(figure.name).second)
      return refuse(lines.place(0), fmt::format("duplicate `{}`", figure.name), "leave one of them out");
    GRADSIM_TRY(value, number(lines, 3, figure.least, figure.most));
    law_.*figure.target = *value;
    return {};
  }

  Result<void> read_curve(const RecordLines& lines, const ProgressCurve& row) {
    if (auto empty = expect_empty(lines, 1); !empty) return empty;
    Curve& curve = law_.*row.target;
    const double before = curve.empty() ? 0 : curve.back().value;
    if (auto appended = append(lines, curve, 0, row.most); !appended) return appended;
    if (row.target == &ConvergenceModel::accuracy && curve.back().value < before)
      return refuse(lines.place(3), "the accuracy falls", "write what a monotone fit gives");
    return {};
  }

  Result<void> read_method(const RecordLines& lines, const MethodTable& table) {
    const std::string_view method = lines.cells()[1];
    if (method.empty())
      return refuse(lines.place(1), fmt::format("`{}` does not name a method", table.name), "such as `topk`");
    auto& curves = law_.*table.target;
    const auto known = std::ranges::find_if(curves, [&](const MethodCurve& curve) {
      return curve.method == method && curve.error_feedback == table.error_feedback;
    });
    MethodCurve& curve =
        known != curves.end()
            ? *known
            : curves.emplace_back(MethodCurve{std::string(method), table.error_feedback, {}});
    if (auto appended = append(lines, curve.by_ratio, table.least, no_bound); !appended) return appended;
    const double ratio = curve.by_ratio.back().at;
    if (ratio > 0 && (ratio < 1 || (ratio == 1 && !sends_all_at_one(method)))) return {};
    return refuse(lines.place(2), fmt::format("`at` of `{}` is {}", table.name, ratio),
                  sends_all_at_one(method) ? "accepted: a ratio above 0 and below 1, where it is 1 by itself"
                                           : "accepted: a ratio above 0, at most 1");
  }

  ConvergenceModel& law_;
  std::set<std::string_view> seen_;
};

Result<void> read_facts(const RecordLines& lines, ConvergenceModel& law) {
  law.facts = lines.facts();
  for (const std::string_view key : {"source", "licence"}) {
    if (const auto value = required_fact(law.facts, key, lines.source()); !value)
      return tl::unexpected(value.error());
  }
  GRADSIM_TRY(model, required_fact(law.facts, "model", lines.source()));
  GRADSIM_TRY(data_set, required_fact(law.facts, "data_set", lines.source()));
  GRADSIM_TRY(samples, required_count(law.facts, "data_set_samples", lines.source()));
  law.model = *model;
  law.data_set = *data_set;
  law.data_set_samples = *samples;
  return {};
}

}  // namespace

Result<ConvergenceModel> parse_law(std::string_view text, const std::string& source) {
  RecordLines lines(text, source);
  const std::string form = netmodels::join(header, ",");
  if (!lines.next())
    return refuse(source, "the file has no table", "start it with facts, then the header " + form);
  if (!std::ranges::equal(lines.cells(), header))
    return refuse(lines.place(), "this is not the header of a fitted model", "the header is " + form);
  ConvergenceModel law;
  if (const auto facts = read_facts(lines, law); !facts) return tl::unexpected(facts.error());
  LawReader reader(law);
  while (lines.next()) {
    if (lines.cells().size() != header.size()) {
      return refuse(lines.place(), fmt::format("the row has {} cells", lines.cells().size()),
                    "a row is " + form);
    }
    if (const auto row = reader.row(lines); !row) return tl::unexpected(row.error());
  }
  if (const auto whole = reader.finish(source); !whole) return tl::unexpected(whole.error());
  return law;
}

Result<ConvergenceModel> read_law(const std::filesystem::path& path) {
  GRADSIM_TRY(text, files::read_text(path, {most_record_bytes}));
  return parse_law(*text, path.string());
}

}  // namespace learning::learners
