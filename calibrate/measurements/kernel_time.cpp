// Printing and reading files of kernel times.
#include "calibrate/measurements/kernel_time.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "calibrate/files/text_file.hpp"

namespace calibrate::measurements {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::string_view header =
    "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies";
constexpr std::size_t columns = 10;
constexpr double us_per_second = 1e6;
constexpr double most_count = 1e9;  // values of a gradient, repetitions
constexpr std::string_view device_key = "# device=";

std::string microseconds(Seconds time) { return fmt::format("{:.4f}", time.count * us_per_second); }

/// A row's numbers behind the name; nothing where one is none, or not finite and above 0.
std::optional<std::array<double, columns - 1>> numbers_of(std::span<const std::string_view> cells) {
  std::array<double, columns - 1> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = files::read_number(cells[i + 1]);
    if (!number || !std::isfinite(*number) || *number <= 0) return std::nullopt;
    numbers[i] = *number;
  }
  return numbers;
}

Result<KernelTime> read_row(std::string_view line, const std::string& where) {
  const auto cells = files::cells_of(line);
  if (cells.size() != columns) {
    return refuse(where, fmt::format("{} cells stand where {} are expected", cells.size(), columns),
                  "write " + std::string(header));
  }
  const auto numbers = numbers_of(cells);
  if (!numbers) return refuse(where, "a cell is no number above 0", "measure again, or leave the row out");
  const auto& [elements, ratio, repetitions, median, least, p95, copy, wire, copies] = *numbers;
  if (ratio > 1) return refuse(where, "the ratio is above 1", "accepted: above 0, at most 1");
  if (elements > most_count || repetitions > most_count)
    return refuse(where, "a count is beyond reason", fmt::format("accepted: at most {:.0f}", most_count));
  return KernelTime{.compressor = std::string(cells[0]),
                    .elements = std::llround(elements),
                    .ratio = ratio,
                    .repetitions = static_cast<int>(repetitions),
                    .median = Seconds{median / us_per_second},
                    .least = Seconds{least / us_per_second},
                    .p95 = Seconds{p95 / us_per_second},
                    .copy = Seconds{copy / us_per_second},
                    .wire = netmodels::Bytes{wire}};
}

}  // namespace

std::string print_kernel_times(const KernelTimes& measured) {
  std::string text = fmt::format("{}{}\n", device_key, measured.device);
  for (const std::string& note : measured.notes) text += "# " + note + "\n";
  text += std::string(header) + "\n";
  for (const KernelTime& time : measured.times) {
    text += fmt::format("{},{},{:g},{},{},{},{},{},{:.0f},{:.3f}\n", time.compressor, time.elements,
                        time.ratio, time.repetitions, microseconds(time.median), microseconds(time.least),
                        microseconds(time.p95), microseconds(time.copy), time.wire.count,
                        time.median / time.copy);
  }
  return text;
}

Result<KernelTimes> parse_kernel_times(std::string_view text, std::string_view source) {
  KernelTimes measured;
  bool in_rows = false;
  int number = 0;
  for (const std::string_view line : files::lines_of(text)) {
    const std::string where = files::place(source, ++number, 1);
    if (line.starts_with(device_key)) {
      measured.device = line.substr(device_key.size());
    } else if (line.starts_with("# ")) {
      measured.notes.emplace_back(line.substr(2));
    } else if (!in_rows && line == header) {
      in_rows = true;
    } else if (!in_rows) {
      return refuse(where, "this is no file of kernel times", "write one by `calibrate probe kernels`");
    } else if (!files::trimmed(line).empty()) {
      auto row = read_row(line, where);
      if (!row) return tl::unexpected(row.error());
      measured.times.push_back(std::move(*row));
    }
  }
  const std::string file(source);
  if (measured.times.empty())
    return refuse(file, "it holds no times", "write it by `calibrate probe kernels`");
  if (measured.device.empty())
    return refuse(file, "it does not say on which device", "write `# device=NAME`");
  return measured;
}

}  // namespace calibrate::measurements
