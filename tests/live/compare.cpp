// Holds measured exchanges of the live testbed against predictions from ping-pong on another bandwidth.
//
//   live_compare FOLDER
//
// FOLDER/settings.csv says which measurements belong together: reference_mbit, ping_pong (a folder, measured
// at that rate), computing (a folder with the compute times of sparse exchanges, or -), mbit, delay_us,
// ratio, measured (a folder). Prints every row predicted and measured as CSV to FOLDER/predicted.csv, a
// summary to standard output, and ends with 1 where a bound is missed.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "calibrate/measurements/measurement_csv.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_file.hpp"
#include "tests/live/prediction.hpp"

namespace live {
namespace {

using calibrate::measurements::Measurements;
using netmodels::refuse;
using netmodels::Result;
namespace files = files;
namespace fs = std::filesystem;

constexpr double most_median = 0.05;
constexpr double most_p90 = 0.12;
constexpr double fewest_right = 0.9;

struct Setting {
  netmodels::Bandwidth reference_line;
  fs::path ping_pong;
  fs::path computing;
  netmodels::Bandwidth line;
  double delay_us;
  double ratio;
  fs::path measured;
};

struct Row {
  double megabits;
  double delay_us;
  Exchange exchange;
  std::string name;
  Seconds predicted;
  Seconds measured;

  [[nodiscard]] double error() const { return predicted / measured - 1; }
  [[nodiscard]] bool clean() const { return carried(exchange) >= smallest_clean; }
};

netmodels::Bandwidth megabits(double count) { return {count * 125e3}; }

Result<std::vector<Setting>> read_settings(const fs::path& folder) {
  const std::string file = (folder / "settings.csv").string();
  const auto text = files::read_text(file);
  if (!text) return tl::unexpected(text.error());
  std::vector<Setting> settings;
  const auto lines = files::lines_of(*text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = files::cells_of(lines[i]);
    std::array<std::optional<double>, 4> numbers{};
    if (cells.size() == 7) {
      numbers = {files::read_number(cells[0]), files::read_number(cells[3]), files::read_number(cells[4]),
                 files::read_number(cells[5])};
    }
    if (!std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); })) {
      return refuse(files::place(file, static_cast<int>(i) + 1, 1), "this is not a setting",
                    "accepted: reference_mbit,ping_pong,computing,mbit,delay_us,ratio,measured");
    }
    settings.push_back({megabits(*numbers[0]), folder / cells[1], folder / cells[2], megabits(*numbers[1]),
                        *numbers[2], *numbers[3], folder / cells[6]});
  }
  return settings;
}

Result<Measurements> read_table(const fs::path& path) {
  const auto text = files::read_text(path.string());
  if (!text) return tl::unexpected(text.error());
  return calibrate::measurements::parse_csv(*text, path.string());
}

/// What the parts compute without messages, together, at exactly this size.
Result<Seconds> local_time(const Setting& setting, Bytes size, std::span<const std::string_view> parts) {
  Seconds together;
  for (const std::string_view part : parts) {
    const fs::path path = setting.computing / fmt::format("{}.csv", part);
    const auto table = read_table(path);
    if (!table) return tl::unexpected(table.error());
    const auto point = std::ranges::find(table->points, size, [](const auto& each) { return each.size; });
    if (point == table->points.end())
      return refuse(path.string(), "no row of " + netmodels::print(size), "measure the same sizes");
    together += point->time;
  }
  return together;
}

Result<Seconds> local_time(const Setting& setting, const Exchange& exchange) {
  constexpr std::array<std::string_view, 1> of_top_k = {"topk_all_gather_local"};
  constexpr std::array<std::string_view, 2> of_ar_top_k = {"ar_topk_select", "ar_topk_apply"};
  if (exchange.name == "topk_all_gather") return local_time(setting, exchange.size, of_top_k);
  if (exchange.name == "ar_topk") return local_time(setting, exchange.size, of_ar_top_k);
  return Seconds{};
}

Result<void> add_table(const Setting& setting, const LinkState& link, const Measurements& table,
                       std::vector<Row>& rows) {
  for (const auto& point : table.points) {
    Row row{
        setting.line.count / 125e3, setting.delay_us, {}, std::string(table.operation->name), {}, point.time};
    row.exchange = {
        table.operation->name, point.size, static_cast<std::uint32_t>(table.ranks), setting.ratio, {}};
    const auto local = local_time(setting, row.exchange);
    if (!local) return tl::unexpected(local.error());
    row.exchange.local = *local;
    const auto predicted = predict(row.exchange, link);
    if (!predicted) continue;
    row.predicted = *predicted;
    rows.push_back(row);
  }
  return {};
}

Result<std::vector<Row>> predict_all(const std::vector<Setting>& settings) {
  std::vector<Row> rows;
  for (const Setting& setting : settings) {
    const auto ping_pong = read_table(setting.ping_pong / "point_to_point.csv");
    if (!ping_pong) return tl::unexpected(ping_pong.error());
    const auto link = transferred(*ping_pong, setting.reference_line, setting.line);
    if (!link) return tl::unexpected(link.error());
    std::vector<fs::path> tables;
    for (const auto& entry : fs::directory_iterator(setting.measured)) tables.push_back(entry.path());
    std::ranges::sort(tables);
    for (const fs::path& path : tables) {
      if (path.filename() == "samples.csv") continue;
      const auto table = read_table(path);
      if (!table) return tl::unexpected(table.error());
      if (auto added = add_table(setting, *link, *table, rows); !added) return tl::unexpected(added.error());
    }
  }
  return rows;
}

std::string print_rows(const std::vector<Row>& rows) {
  std::string text =
      "bandwidth_mbit,delay_us,ranks,exchange,ratio,size_bytes,carried_bytes,predicted_us,measured_us,"
      "error_percent,held_to_bounds\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{:.1f},{:.1f},{:.2f},{}\n", row.megabits, row.delay_us,
                        row.exchange.ranks, row.name, row.exchange.ratio, row.exchange.size.count,
                        carried(row.exchange).count, row.predicted.count * 1e6, row.measured.count * 1e6,
                        100 * row.error(), row.clean() ? "yes" : "no");
  }
  return text;
}

/// How often the faster of two exchanges of gradients was predicted, over all pairs at each size and setting.
struct Sides {
  int right = 0;
  int all = 0;
};

Sides count_sides(const std::vector<Row>& rows) {
  std::map<std::tuple<double, double, std::uint32_t, double, double>, std::vector<Row>> points;
  for (const Row& row : rows) {
    if (row.name != "all_reduce" && row.name != "topk_all_gather" && row.name != "ar_topk") continue;
    points[{row.megabits, row.delay_us, row.exchange.ranks, row.exchange.ratio, row.exchange.size.count}]
        .push_back(row);
  }
  Sides sides;
  for (const auto& [point, all] : points) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (all[i].name == all[j].name) continue;  // measured twice
        ++sides.all;
        sides.right += (all[i].predicted < all[j].predicted) == (all[i].measured < all[j].measured) ? 1 : 0;
      }
    }
  }
  return sides;
}

void print_errors(const std::string& title, const std::vector<double>& errors) {
  const auto summary = calibrate::measurements::summarise(errors);
  fmt::print("{:<28} {:>5} {:>8.1f} {:>8.1f} {:>8.1f} {:>+8.1f}\n", title, errors.size(),
             100 * summary.median, 100 * summary.p90, 100 * summary.worst, 100 * summary.bias);
}

/// Prints the summary. @returns whether every bound is kept
bool judge(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<double>> by_name;
  std::vector<double> all;
  for (const Row& row : rows) {
    if (!row.clean()) continue;
    all.push_back(row.error());
    by_name[row.name + (row.delay_us == 0 ? "" : ", delayed")].push_back(row.error());
  }
  if (all.empty()) {
    fmt::print("no row of 256 KiB or more\n");
    return false;
  }
  fmt::print("{:<28} {:>5} {:>8} {:>8} {:>8} {:>8}\n", "errors in %, from 256 KiB on", "rows", "median",
             "p90", "worst", "bias");
  for (const auto& [name, errors] : by_name) print_errors(name, errors);
  print_errors("all", all);
  const auto summary = calibrate::measurements::summarise(all);
  const Sides sides = count_sides(rows);
  fmt::print("the faster of two exchanges of gradients, all sizes: right in {} of {} pairs\n", sides.right,
             sides.all);
  const bool kept =
      summary.median <= most_median && summary.p90 <= most_p90 && sides.right >= fewest_right * sides.all;
  fmt::print("bounds (median {:.0f} %, p90 {:.0f} %, right in {:.0f} %): {}\n", 100 * most_median,
             100 * most_p90, 100 * fewest_right, kept ? "kept" : "MISSED");
  return kept;
}

int compare(const fs::path& folder) {
  const auto settings = read_settings(folder);
  const auto rows = settings ? predict_all(*settings) : tl::unexpected(settings.error());
  if (!rows) {
    std::cerr << rows.error().text() << "\n";
    return 1;
  }
  const auto written = files::write_output((folder / "predicted.csv").string(), print_rows(*rows), std::cout);
  if (!written) {
    std::cerr << written.error().text() << "\n";
    return 1;
  }
  return judge(*rows) ? 0 : 1;
}

}  // namespace
}  // namespace live

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: live_compare FOLDER\n", stderr);
    return 2;
  }
  try {
    return live::compare(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "live_compare: " << error.what() << "\n";
    return 3;
  }
}
