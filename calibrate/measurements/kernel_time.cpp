// Printing and reading files of kernel times.
#include "calibrate/measurements/kernel_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"
#include "files/text_file.hpp"

namespace calibrate::measurements {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::string_view header =
    "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies,restore_us";
constexpr std::size_t kernel_columns = 11;
/// Header without the last column, `restore_us`.
constexpr std::string_view short_header = header.substr(0, header.rfind(','));
constexpr double most_count = 1e9;  // values of a gradient, repetitions
constexpr std::string_view device_key = "# device=";

std::string fixed_microseconds(Seconds time) { return fmt::format("{:.4f}", time.count * us_per_second); }

/// The range of a cell after the name.
struct Column {
  double most;
  bool is_count;
};

constexpr double any = std::numeric_limits<double>::max();
constexpr std::array<Column, kernel_columns - 1> accepted{{
    {most_count, true},  // elements
    {1, false},          // ratio
    {most_count, true},  // repetitions
    {any, false},        // median
    {any, false},        // least
    {any, false},        // p95
    {any, false},        // copy
    {any, false},        // wire
    {any, false},        // copies
    {any, false},        // restore
}};

std::string describe(const Column& column) {
  const std::string kind = column.is_count ? "a whole number" : "a finite number";
  return kind + " above 0" + (column.most < any ? fmt::format(", at most {:.0f}", column.most) : "");
}

/// A row's line and its position.
struct Line {
  std::string_view text;
  std::string_view source;
  int number;
  std::string_view header;
};

/// The cells after the name, as numbers; 0 for a cell that the header does not name.
Result<std::array<double, kernel_columns - 1>> read_numbers(const Line& line,
                                                            std::span<const std::string_view> cells) {
  const auto names = files::cells_of(line.header);
  std::array<double, kernel_columns - 1> numbers{};
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    const std::string_view cell = cells[i + 1];
    const auto number = files::read_number(cell);
    const bool holds = number && *number > 0 && *number <= accepted[i].most &&
                       (!accepted[i].is_count || *number == std::floor(*number));
    if (!holds) {
      const auto column = static_cast<int>(cell.data() - line.text.data()) + 1;
      return refuse(files::place(line.source, line.number, column),
                    fmt::format("`{}` in column `{}` is invalid", cell, names[i + 1]),
                    "accepted: " + describe(accepted[i]));
    }
    numbers[i] = *number;
  }
  return numbers;
}

Result<KernelTime> read_row(const Line& line) {
  const auto cells = files::cells_of(line.text);
  const std::size_t expected = files::cells_of(line.header).size();
  if (cells.size() != expected) {
    return refuse(files::place(line.source, line.number, 1),
                  fmt::format("expected {1} cells, found {0}", cells.size(), expected),
                  "write " + std::string(line.header));
  }
  if (cells[0].empty())
    return refuse(files::place(line.source, line.number, 1), "no compressor is named",
                  "write its name before the first comma");
  GRADSIM_TRY(numbers, read_numbers(line, cells));
  const auto& [elements, ratio, repetitions, median, least, p95, copy, wire, copies, restore] = *numbers;
  KernelTime time{.compressor = std::string(cells[0]),
                  .elements = std::llround(elements),
                  .ratio = ratio,
                  .repetitions = static_cast<int>(repetitions),
                  .median = Seconds{median / us_per_second},
                  .least = Seconds{least / us_per_second},
                  .p95 = Seconds{p95 / us_per_second},
                  .copy = Seconds{copy / us_per_second},
                  .wire = netmodels::Bytes{wire}};
  if (expected == kernel_columns) time.restore = Seconds{restore / us_per_second};
  return time;
}

/// @param lines  of the rows, in their order
Result<void> check_new(const KernelTime& time, const std::string& where, const KernelTimes& measured,
                       const std::vector<int>& lines) {
  for (std::size_t i = 0; i < measured.times.size(); ++i) {
    const KernelTime& known = measured.times[i];
    if (known.compressor != time.compressor || known.elements != time.elements || known.ratio != time.ratio)
      continue;
    return refuse(where,
                  fmt::format("duplicate {} on {} values at ratio {:g}; the first is in line {}",
                              time.compressor, time.elements, time.ratio, lines[i]),
                  "leave out one of the two");
  }
  return {};
}

}  // namespace

std::string print_kernel_times(const KernelTimes& measured) {
  std::string text = fmt::format("{}{}\n", device_key, measured.device);
  for (const std::string& note : measured.notes) text += "# " + note + "\n";
  const bool restored =
      std::ranges::all_of(measured.times, [](const KernelTime& time) { return time.restore.has_value(); });
  text += std::string(restored ? header : short_header) + "\n";
  for (const KernelTime& time : measured.times) {
    text += fmt::format("{},{},{:g},{},{},{},{},{},{:.0f},{:.3f}", time.compressor, time.elements, time.ratio,
                        time.repetitions, fixed_microseconds(time.median), fixed_microseconds(time.least),
                        fixed_microseconds(time.p95), fixed_microseconds(time.copy), time.wire.count,
                        time.median / time.copy);
    text += restored ? "," + fixed_microseconds(*time.restore) + "\n" : "\n";
  }
  return text;
}

Result<KernelTimes> parse_kernel_times(std::string_view text, std::string_view source) {
  KernelTimes measured;
  std::vector<int> lines;
  std::string_view found_header;  // the header, once it was met
  int number = 0;
  for (const std::string_view line : files::lines_of(text)) {
    const std::string where = files::place(source, ++number, 1);
    if (line.starts_with(device_key)) {
      measured.device = line.substr(device_key.size());
    } else if (line.starts_with("# ")) {
      measured.notes.emplace_back(line.substr(2));
    } else if (found_header.empty() && (line == header || line == short_header)) {
      found_header = line;
    } else if (found_header.empty()) {
      return refuse(where, "this is not a file of kernel times", "write one by `calibrate probe kernels`");
    } else if (!files::trimmed(line).empty()) {
      GRADSIM_TRY(row, read_row({line, source, number, found_header}));
      if (auto fresh = check_new(*row, where, measured, lines); !fresh) return tl::unexpected(fresh.error());
      lines.push_back(number);
      measured.times.push_back(std::move(*row));
    }
  }
  const std::string file(source);
  if (measured.times.empty())
    return refuse(file, "the file has no times", "write it by `calibrate probe kernels`");
  if (measured.device.empty()) return refuse(file, "it does not state the device", "write `# device=NAME`");
  return measured;
}

}  // namespace calibrate::measurements
