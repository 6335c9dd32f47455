// Printing and reading of measurements files.
#include "calibrate/measurements/measurement_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::measurements {
namespace {

using netmodels::refuse;
using netmodels::Result;

struct FactKey {
  std::string_view key;
  std::optional<std::string> Facts::*fact;
};

constexpr std::array fact_keys{
    FactKey{"gpus", &Facts::machine},      FactKey{"network", &Facts::network},
    FactKey{"tool", &Facts::tool},         FactKey{"algorithm", &Facts::algorithm},
    FactKey{"protocol", &Facts::protocol}, FactKey{"source", &Facts::source},
    FactKey{"licence", &Facts::licence},
};

constexpr std::array<std::string_view, 4> table_columns = {"size_bytes", "time_us", "algbw_GBs", "busbw_GBs"};
constexpr std::size_t no_column = table_columns.size();
constexpr std::size_t most_ranks = 1'000'000;

/// The shortest text of microseconds that is read back to the same time.
std::string shortest_microseconds(netmodels::Seconds time) {
  for (int digits = 4; digits < 17; ++digits) {
    const std::string text = fmt::format("{:.{}g}", time.count * 1e6, digits);
    if (*files::read_number(text) / 1e6 == time.count) return fmt::format("{}", *files::read_number(text));
  }
  const double exact = time.count * 1e6;
  for (const double near : {exact, std::nextafter(exact, 0.0), std::nextafter(exact, HUGE_VAL)}) {
    if (near / 1e6 == time.count) return fmt::format("{}", near);
  }
  return fmt::format("{}", exact);
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// The rows read so far, and the current position.
class TableReader {
 public:
  explicit TableReader(std::string_view source) : source_(source) {}

  Result<void> line(std::string_view text) {
    ++line_;
    if (files::trimmed(text).empty()) return {};
    if (text.starts_with('#')) return comment(files::trimmed(text.substr(1)));
    return header_seen_ ? row(text) : header(text);
  }

  Result<Measurements> finish() {
    if (read_.operation == nullptr) return missing("collective");
    if (read_.ranks == 0) return missing("nranks");
    if (!header_seen_ || read_.points.empty())
      return refuse(std::string(source_), "no rows found", "write " + netmodels::join(table_columns, ","));
    if (auto checked = check(read_); !checked)
      return refuse(std::string(source_), checked.error().what, checked.error().hint);
    return std::move(read_);
  }

 private:
  [[nodiscard]] std::string here(std::string_view part) const {
    return files::place(source_, line_, static_cast<int>(part.data() - line_begin_) + 1);
  }

  [[nodiscard]] tl::unexpected<netmodels::Error> missing(std::string_view key) const {
    return refuse(std::string(source_), fmt::format("the key `{}` is missing", key),
                  "begin the file with a line such as `# collective=all_reduce; nranks=8; nodes=2`");
  }

  Result<void> comment(std::string_view text);
  Result<void> keys(std::string_view text);
  Result<void> key(std::string_view name, std::string_view value);
  Result<int> count(std::string_view name, std::string_view value) const;
  Result<void> header(std::string_view text);
  Result<void> row(std::string_view text);
  Result<void> add(const std::array<std::optional<double>, 4>& cells, std::string_view text);

  std::string_view source_;
  int line_ = 0;
  const char* line_begin_ = nullptr;
  bool header_seen_ = false;
  std::vector<std::size_t> order_;  // order of the columns in the file, as indices of `table_columns`
  Measurements read_;

  friend Result<Measurements> read_lines(TableReader reader, std::string_view text);
};

bool is_known_key(std::string_view name) {
  return name == "collective" || name == "nranks" || name == "nodes" || name == "note" ||
         std::ranges::find(fact_keys, name, &FactKey::key) != fact_keys.end();
}

/// The known key that a piece of the first line begins with; empty where it continues the value before.
std::string_view key_of(std::string_view piece) {
  const std::string_view name = piece.substr(0, piece.find('='));
  return name.size() < piece.size() && is_known_key(name) ? name : std::string_view{};
}

Result<void> TableReader::comment(std::string_view text) {
  if (key_of(text) == "collective") return keys(text);
  const std::string_view name = key_of(text);
  return name.empty() ? Result<void>() : key(name, text.substr(name.size() + 1));
}

Result<void> TableReader::keys(std::string_view text) {
  while (!text.empty()) {
    const std::string_view name = key_of(text);
    std::size_t end = text.find("; ");
    while (end != std::string_view::npos && key_of(text.substr(end + 2)).empty())
      end = text.find("; ", end + 2);
    const std::string_view value =
        text.substr(name.size() + 1, end == std::string_view::npos ? end : end - name.size() - 1);
    if (auto stored = key(name, value); !stored) return stored;
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 2);
  }
  return {};
}

Result<void> TableReader::key(std::string_view name, std::string_view value) {
  if (name == "note") {
    read_.facts.notes.emplace_back(value);
  } else if (name == "collective") {
    const auto found = find_operation(value);
    if (!found) return refuse(here(value), found.error().what, found.error().hint);
    read_.operation = *found;
  } else if (name == "nranks" || name == "nodes") {
    GRADSIM_TRY(number, count(name, value));
    if (name == "nranks")
      read_.ranks = *number;
    else
      read_.nodes = *number;
  } else {
    read_.facts.*std::ranges::find(fact_keys, name, &FactKey::key)->fact = std::string(value);
  }
  return {};
}

Result<int> TableReader::count(std::string_view name, std::string_view value) const {
  const auto number = files::read_integer(value);
  if (number && *number >= 1 && *number <= static_cast<long long>(most_ranks))
    return static_cast<int>(*number);
  return refuse(here(value), fmt::format("`{}` is not a value of `{}`", value, name),
                fmt::format("accepted: 1 to {}", most_ranks));
}

Result<void> TableReader::header(std::string_view text) {
  header_seen_ = true;
  for (const std::string_view cell : files::cells_of(text)) {
    const auto* column = std::ranges::find(table_columns, cell);
    const auto index = static_cast<std::size_t>(column - table_columns.begin());
    if (index == no_column) {
      return refuse(here(cell), fmt::format("unknown column `{}`", cell),
                    netmodels::accepted_names(cell, table_columns));
    }
    if (std::ranges::find(order_, index) != order_.end())
      return refuse(here(cell), fmt::format("duplicate column `{}`", cell));
    order_.push_back(index);
  }
  for (const std::size_t needed : {0U, 1U}) {
    if (std::ranges::find(order_, needed) == order_.end())
      return refuse(here(text), fmt::format("column `{}` is missing", table_columns[needed]));
  }
  return {};
}

Result<void> TableReader::row(std::string_view text) {
  const auto cells = files::cells_of(text);
  if (cells.size() != order_.size()) {
    return refuse(here(cells.back()), fmt::format("the row has {} cells", cells.size()),
                  fmt::format("the header names {}", order_.size()));
  }
  std::array<std::optional<double>, 4> values;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    values[order_[i]] = files::read_number(cells[i]);
    if (values[order_[i]] && std::isfinite(*values[order_[i]]) && *values[order_[i]] >= 0) continue;
    return refuse(here(cells[i]),
                  fmt::format("`{}` is not a value of `{}`", cells[i], table_columns[order_[i]]),
                  "accepted: a finite number, 0 or above");
  }
  return add(values, text);
}

Result<void> TableReader::add(const std::array<std::optional<double>, 4>& cells, std::string_view text) {
  const MeasuredPoint point{{*cells[0]}, {*cells[1] / 1e6}};
  if (auto next = check_next(read_.points, point); !next)
    return refuse(here(text), next.error().what, next.error().hint);
  const double exact = algorithm_bandwidth(point).count / 1e9;
  const bool has_bus = read_.operation != nullptr && read_.ranks > 0;
  const double factor = has_bus ? bus_factor(*read_.operation, read_.ranks) : 1;
  for (const std::size_t i : {2U, 3U}) {
    const double expected = i == 2 ? exact : exact * factor;
    if (!cells[i] || (i == 3 && !has_bus) || agrees(*cells[i], expected)) continue;
    return refuse(
        here(text),
        fmt::format("`{}` is {}, but size and time make it {:.4g}", table_columns[i], *cells[i], expected),
        "check the row, the collective and the ranks");
  }
  read_.points.push_back(point);
  return {};
}

Result<Measurements> read_lines(TableReader reader, std::string_view text) {
  for (const std::string_view line : files::lines_of(text)) {
    reader.line_begin_ = line.data();
    if (const auto read = reader.line(line); !read) return tl::unexpected(read.error());
  }
  return reader.finish();
}

}  // namespace

bool agrees(double printed, double exact) {
  constexpr double half_a_decimal = 0.00501;
  return std::abs(printed - exact) <= half_a_decimal + 0.006 * exact;
}

std::string print_csv(const Measurements& measured) {
  std::string text = fmt::format("# collective={}; nranks={}", measured.operation->name, measured.ranks);
  if (measured.nodes) text += fmt::format("; nodes={}", *measured.nodes);
  text += "\n";
  for (const FactKey& row : fact_keys) {
    if (const auto& fact = measured.facts.*row.fact)
      text += fmt::format("# {}={}\n", row.key, on_one_line(*fact));
  }
  for (const std::string& note : measured.facts.notes) text += "# note=" + on_one_line(note) + "\n";
  text += netmodels::join(table_columns, ",") + "\n";
  for (const MeasuredPoint& point : measured.points) {
    text += fmt::format("{},{},{:.4g},{:.4g}\n", point.size.count, shortest_microseconds(point.time),
                        algorithm_bandwidth(point).count / 1e9, bus_bandwidth(measured, point).count / 1e9);
  }
  return text;
}

Result<Measurements> parse_csv(std::string_view text, std::string_view source) {
  return read_lines(TableReader(source), text);
}

}  // namespace calibrate::measurements
