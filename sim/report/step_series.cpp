// Reading steps.csv, and putting neighbouring steps together where there are too many.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command_line/csv.hpp"
#include "sim/report/run_page.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::Measure;
using command_line::Table;

namespace {

using netmodels::refuse;
using netmodels::Result;

/// A column of numbers of steps.csv.
struct Quantity {
  std::string_view key;
  std::string_view title;
  Measure measure;
  std::optional<double> idle{};  ///< a run in which every step has this value has nothing to see
};

constexpr std::array quantities{
    Quantity{"step_time_s", "step time", Measure::time},
    Quantity{"exchange_time_s", "exchange, hidden or not", Measure::time, 0},
    Quantity{"wait_time_s", "wait for the slowest worker", Measure::time, 0},
    Quantity{"sent_bytes", "sent per worker", Measure::size, 0},
    Quantity{"workers", "workers", Measure::none, 1},
    Quantity{"ratio", "compression ratio", Measure::none, 1},
    Quantity{"staleness", "staleness (steps)", Measure::none, 0},
    Quantity{"loss", "training loss", Measure::none},
    Quantity{"gain", "gain", Measure::none, 1},
    Quantity{"noise_scale_samples", "noise scale (samples)", Measure::none},
    Quantity{"samples", "samples per step", Measure::none, 0},
    Quantity{"stream_wait_time_s", "wait for streams", Measure::time, 0},
    Quantity{"buffer_samples", "buffered samples", Measure::none},
    Quantity{"buffer_bytes", "buffer", Measure::size},
    Quantity{"bandwidth_bytes_per_s", "bandwidth", Measure::rate},
    Quantity{"latency_s", "latency", Measure::time},
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> step_text_columns{
    {{"collective", "collective"}, {"method", "compressor"}, {"traffic", "sent"}}};
constexpr std::array<std::string_view, 4> places{"arm", "start_s", "epoch", "step"};

/// Statistics of several values.
struct Spread {
  double sum = 0;
  std::int64_t count = 0;
  double least = 0;
  double most = 0;

  void add(double value) { add(Spread{value, 1, value, value}); }
  void add(const Spread& other) {
    if (other.count == 0) return;
    least = count == 0 ? other.least : std::min(least, other.least);
    most = count == 0 ? other.most : std::max(most, other.most);
    sum += other.sum;
    count += other.count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

/// Neighbouring steps of one arm.
struct Bucket {
  double start = 0;
  double epoch = 0;
  double step = 0;
  std::int64_t steps = 0;
  std::array<Spread, quantities.size()> spreads{};
  std::array<std::map<std::string, std::int64_t>, step_text_columns.size()> uses{};

  void add(const Bucket& later) {
    if (steps == 0) std::tie(start, epoch, step) = std::tie(later.start, later.epoch, later.step);
    steps += later.steps;
    for (std::size_t i = 0; i < spreads.size(); ++i) spreads[i].add(later.spreads[i]);
    for (std::size_t i = 0; i < uses.size(); ++i)
      for (const auto& [text, count] : later.uses[i]) uses[i][text] += count;
  }
};

/// The buckets of one arm; each holds as many steps as the others, but for the last.
class ArmSeries {
 public:
  ArmSeries(std::string name, std::size_t rows) : name_(std::move(name)), rows_(rows) {}

  void add(const Bucket& step) {
    if (buckets_.empty() || buckets_.back().steps == stride_) {
      if (buckets_.size() == 2 * rows_) halve();
      buckets_.emplace_back();
    }
    buckets_.back().add(step);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }

 private:
  void halve() {
    for (std::size_t i = 0; i < rows_; ++i) {
      Bucket both = std::move(buckets_[2 * i]);
      both.add(buckets_[2 * i + 1]);
      buckets_[i] = std::move(both);
    }
    buckets_.resize(rows_);
    stride_ *= 2;
  }

  std::string name_;
  std::size_t rows_;
  std::vector<Bucket> buckets_;
  std::int64_t stride_ = 1;
};

/// Takes steps.csv in, line by line.
class Reader {
 public:
  Reader(std::istream& csv, const std::string& source, std::size_t rows)
      : csv_(csv), source_(source), rows_(std::max<std::size_t>(1, rows)) {}

  Result<std::vector<ArmSeries>> read() {
    if (!next_line()) return refuse(source_, "is empty", "write it again: sim run FILE --out DIR");
    command_line::split_csv_line(line_, header_);
    if (auto found = find_columns(); !found) return tl::unexpected(found.error());
    std::vector<ArmSeries> arms;
    while (next_line()) {
      command_line::split_csv_line(line_, cells_);
      if (cells_.size() != header_.size()) {
        return refuse(here(), fmt::format("{} cells under {} columns", cells_.size(), header_.size()),
                      "write it again: sim run FILE --out DIR");
      }
      GRADSIM_TRY(step, read_step());
      const std::string& arm = cells_[column_of_.find(places[0])->second];
      if (arms.empty() || arms.back().name() != arm) arms.emplace_back(arm, rows_);
      arms.back().add(*step);
      ++steps_;
    }
    return arms;
  }
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  [[nodiscard]] std::string here() const { return fmt::format("{}:{}", source_, number_); }

  bool next_line() {
    ++number_;
    if (!std::getline(csv_, line_)) return false;
    std::string more;
    while (command_line::has_open_quote(line_) &&
           std::getline(csv_, more)) {  // a name that holds a line break
      line_ += "\n" + more;
      ++number_;
    }
    return true;
  }

  /// Files of earlier versions lack some quantities, which then have no values; the position of a step must
  /// be there.
  Result<void> find_columns() {
    for (std::size_t column = 0; column < header_.size(); ++column) column_of_[header_[column]] = column;
    for (const std::string_view key : places) {
      if (!column_of_.contains(key)) {
        return refuse(source_ + ":1", fmt::format("has no column `{}`", key),
                      "write it again: sim run FILE --out DIR");
      }
    }
    for (std::size_t i = 0; i < quantities.size(); ++i) quantity_columns_[i] = find(quantities[i].key);
    for (std::size_t i = 0; i < step_text_columns.size(); ++i)
      text_columns_[i] = find(step_text_columns[i].first);
    return {};
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const {
    const auto found = column_of_.find(key);
    return found == column_of_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Nothing where the cell is empty.
  Result<std::optional<double>> number(std::size_t column) {
    const std::string& text = cells_[column];
    if (text.empty()) return std::optional<double>();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return refuse(here(), fmt::format("`{}` in column `{}` is not a number", text, header_[column]),
                    "write it again: sim run FILE --out DIR");
    }
    return std::optional(value);
  }

  Result<Bucket> read_step() {
    Bucket step;
    step.steps = 1;
    for (const auto& [key, field] :
         {std::pair{places[1], &Bucket::start}, std::pair{places[2], &Bucket::epoch},
          std::pair{places[3], &Bucket::step}}) {
      GRADSIM_TRY(value, number(column_of_.find(key)->second));
      step.*field = value->value_or(0);
    }
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      if (!quantity_columns_[i]) continue;
      GRADSIM_TRY(value, number(*quantity_columns_[i]));
      if (*value && std::isfinite(**value)) step.spreads[i].add(**value);
    }
    for (std::size_t i = 0; i < step_text_columns.size(); ++i)
      if (text_columns_[i]) step.uses[i][cells_[*text_columns_[i]]] = 1;
    return step;
  }

  std::istream& csv_;
  const std::string& source_;
  std::size_t rows_;
  std::string line_;
  std::int64_t number_ = 0;
  std::int64_t steps_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string> cells_;
  std::map<std::string, std::size_t, std::less<>> column_of_;
  std::array<std::optional<std::size_t>, quantities.size()> quantity_columns_{};
  std::array<std::optional<std::size_t>, step_text_columns.size()> text_columns_{};
};

template <class Test>
bool any_bucket(const std::vector<ArmSeries>& arms, Test test) {
  return std::ranges::any_of(arms,
                             [&](const ArmSeries& arm) { return std::ranges::any_of(arm.buckets(), test); });
}

/// Cells of one column, bucket after bucket.
template <class Get>
void put_column(Table& table, const std::vector<ArmSeries>& arms, Column heading, Get get) {
  table.columns.push_back(std::move(heading));
  std::size_t row = 0;
  for (const ArmSeries& arm : arms)
    for (const Bucket& bucket : arm.buckets()) table.rows[row++].push_back(get(arm, bucket));
}

void put_places(Table& table, const std::vector<ArmSeries>& arms) {
  std::size_t rows = 0;
  for (const ArmSeries& arm : arms) rows += arm.buckets().size();
  table.rows.resize(rows);
  put_column(table, arms, {"arm", "arm", Measure::none},
             [](const ArmSeries& arm, const Bucket&) -> Cell { return arm.name(); });
  put_column(table, arms, {"start_s", "simulated time", Measure::time},
             [](const ArmSeries&, const Bucket& bucket) -> Cell { return bucket.start; });
  put_column(table, arms, {"epoch", "epoch", Measure::none},
             [](const ArmSeries&, const Bucket& bucket) -> Cell { return bucket.epoch; });
  put_column(table, arms, {"step", "step", Measure::none},
             [](const ArmSeries&, const Bucket& bucket) -> Cell { return bucket.step; });
}

void put_quantity(Table& table, const std::vector<ArmSeries>& arms, std::size_t index) {
  const Quantity& quantity = quantities[index];
  const auto seen = [&](const Bucket& bucket) {
    const Spread& spread = bucket.spreads[index];
    return spread.count > 0 && (quantity.idle != spread.least || quantity.idle != spread.most);
  };
  if (!any_bucket(arms, seen)) return;
  const auto put = [&](const std::string& end, double (*get)(const Spread&)) {
    put_column(table, arms, {std::string(quantity.key) + end, std::string(quantity.title), quantity.measure},
               [&](const ArmSeries&, const Bucket& bucket) -> Cell {
                 const Spread& spread = bucket.spreads[index];
                 return spread.count == 0 ? Cell() : Cell(get(spread));
               });
  };
  put("", [](const Spread& spread) { return spread.mean(); });
  const auto wide = [&](const Bucket& bucket) {
    return bucket.spreads[index].least < bucket.spreads[index].most;
  };
  if (!any_bucket(arms, wide)) return;
  put("_least", [](const Spread& spread) { return spread.least; });
  put("_most", [](const Spread& spread) { return spread.most; });
}

/// The text that most steps of a bucket have.
std::string most_frequent(const std::map<std::string, std::int64_t>& uses) {
  const auto found = std::ranges::max_element(uses, {}, [](const auto& use) { return use.second; });
  return found == uses.end() ? "" : found->first;
}

void put_text(Table& table, const std::vector<ArmSeries>& arms, std::size_t index) {
  const auto named = [&](const Bucket& bucket) { return !most_frequent(bucket.uses[index]).empty(); };
  if (!any_bucket(arms, named)) return;
  put_column(
      table, arms,
      {std::string(step_text_columns[index].first), std::string(step_text_columns[index].second),
       Measure::none},
      [&](const ArmSeries&, const Bucket& bucket) -> Cell { return most_frequent(bucket.uses[index]); });
}

}  // namespace

bool StepSeries::has(std::string_view key) const {
  return std::ranges::find(table.columns, key, &Column::key) != table.columns.end();
}

Result<StepSeries> read_step_series(std::istream& csv, const std::string& source, std::size_t rows) {
  Reader reader(csv, source, rows);
  GRADSIM_TRY(arms, reader.read());
  StepSeries series;
  series.steps = reader.steps();
  for (const ArmSeries& arm : *arms) series.most_in_a_row = std::max(series.most_in_a_row, arm.stride());
  put_places(series.table, *arms);
  for (std::size_t i = 0; i < quantities.size(); ++i) put_quantity(series.table, *arms, i);
  for (std::size_t i = 0; i < step_text_columns.size(); ++i) put_text(series.table, *arms, i);
  return series;
}

}  // namespace sim::report
