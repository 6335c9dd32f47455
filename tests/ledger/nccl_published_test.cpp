// Times against nccl-tests tables of other people's machines: prints the errors of each, and holds them to
// what was measured with these constants. Nothing is fitted here but the two scalars of the cases that say
// so.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "calibrate/ledger/nccl_machines.hpp"
#include "files/input_file.hpp"
#include "netmodels/nccl/time.hpp"
#include "tests/data_folder.hpp"
#include "tests/source_tree.hpp"

namespace netmodels::nccl {
namespace {

using calibrate::ledger::find_nccl_machine;
using calibrate::ledger::NcclMachine;
using calibrate::ledger::parse_nccl_machines;

namespace fs = std::filesystem;

const std::string vtrain_folder = tests::data_path("vtrain");

/// The machines that the ledger's entries name, too.
const std::vector<NcclMachine>& published_machines() {
  static const std::vector<NcclMachine> machines = [] {
    const std::string file = tests::source_dir() + "/tests/nccl_machines.yaml";
    const auto text = files::read_input(file);
    EXPECT_TRUE(text) << (text ? "" : text.error().text());
    auto read = parse_nccl_machines(*text, file);
    EXPECT_TRUE(read) << (read ? "" : read.error().text());
    return std::move(*read);
  }();
  return machines;
}

const NcclMachine* description_of(const std::string& table) {
  return find_nccl_machine(published_machines(), table);
}

/// Of a machine that the file describes.
const Hardware& published_hardware(const std::string& table) { return description_of(table)->hardware; }

using Figures = std::map<double, double>;  // bytes, us

struct PublishedTable {
  Operation operation = Operation::all_reduce;
  Group group;
  Figures figures;
};

PublishedTable read_published(const fs::path& path) {
  PublishedTable table;
  std::ifstream file(path);
  bool headed = false;
  static const std::regex header(R"(collective=(\w+); nranks=(\d+); nodes=(\d+))");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (line.starts_with("#")) {
      if (!std::regex_search(line, match, header)) continue;
      table.operation = *find_operation(match[1].str());
      table.group.ranks = static_cast<std::uint32_t>(std::stoul(match[2]));
      table.group.nodes = static_cast<std::uint32_t>(std::stoul(match[3]));
    } else if (headed) {
      const auto comma = line.find(',');
      table.figures[std::stod(line)] = std::stod(line.substr(comma + 1));
    } else {
      headed = true;
    }
  }
  return table;
}

struct ErrorsFound {
  std::vector<double> values;

  void add(const ErrorsFound& more) { values.insert(values.end(), more.values.begin(), more.values.end()); }
  /// Per cent, of the sorted errors at floor(share * n).
  [[nodiscard]] double at(double share) const {
    if (values.empty()) return 0;
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    const auto last = sorted.size() - 1;
    return 100 * sorted[std::min(last, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out.precision(1);
    out << std::fixed << "n " << values.size() << "  median " << at(.5) << " %  p90 " << at(.9) << " %";
    return out.str();
  }
};

constexpr double all_sizes = 0;
constexpr double from_mebibyte = 1048576;

ErrorsFound errors_of(const Hardware& hardware, const PublishedTable& table, double least) {
  const auto model = Model::make(hardware, table.group);
  EXPECT_TRUE(model.has_value()) << model.error().text();
  ErrorsFound found;
  if (!model) return found;
  for (const auto& [size, time] : table.figures) {
    if (size < least) continue;
    const auto ours = model->time(table.operation, {size});
    EXPECT_TRUE(ours.has_value());
    found.values.push_back(std::abs(ours->total().count * 1e6 / time - 1));
  }
  return found;
}

/// Hardware alone, or with the table's smallest and largest size.
std::map<std::string, ErrorsFound> errors_by_group(bool with_two_points, double least) {
  std::map<std::string, ErrorsFound> groups;
  for (const fs::path& path : tests::nccl_tables()) {
    const std::string name = path.stem().string();
    const NcclMachine* row = description_of(name);
    EXPECT_NE(row, nullptr) << name;
    if (row == nullptr) continue;
    PublishedTable table = read_published(path);
    table.group.nodes = row->nodes.value_or(table.group.nodes);
    Hardware hardware = row->hardware;
    if (with_two_points) {
      const auto& [small, small_time] = *table.figures.begin();
      const auto& [large, large_time] = *table.figures.rbegin();
      hardware.measured = {.operation = table.operation,
                           .points = {{{small}, {small_time * 1e-6}}, {{large}, {large_time * 1e-6}}}};
    }
    const ErrorsFound here = errors_of(hardware, table, least);
    std::printf("  %-46s %s\n", name.c_str(), here.text().c_str());
    groups[row->kind].add(here);
    if (row->kind != "vidur" && row->kind != "shared GPU") groups["all but vidur and shared GPU"].add(here);
  }
  return groups;
}

void print_groups(const std::string& title, const std::map<std::string, ErrorsFound>& groups) {
  std::printf("%s\n", title.c_str());
  for (const auto& [name, errors] : groups) std::printf("  %-30s %s\n", name.c_str(), errors.text().c_str());
}

/// Median and p90 of a kind, in per cent as `ErrorsFound::at` gives them.
struct Band {
  std::string kind;
  double median;
  double p90;
};

/// The bands are what these constants gave when they were chosen: an error above them is a step back.
void expect_within(const std::map<std::string, ErrorsFound>& kinds, const std::vector<Band>& bands) {
  for (const Band& band : bands) {
    EXPECT_LE(kinds.at(band.kind).at(.5), band.median) << band.kind;
    EXPECT_LE(kinds.at(band.kind).at(.9), band.p90) << band.kind;
  }
}

constexpr const char* all_machines = "all but vidur and shared GPU";

TEST(NcclPublished, HardwareAlone) {
  const auto kinds = errors_by_group(false, all_sizes);
  print_groups("hardware alone, all sizes", kinds);
  expect_within(kinds, {{all_machines, 10.35, 40.4}, {"nvlink", 5.05, 17.35}, {"vidur", 29.8, 60.15}});
}

TEST(NcclPublished, HardwareAloneFromOneMebibyte) {
  const auto kinds = errors_by_group(false, from_mebibyte);
  print_groups("hardware alone, from 1 MiB", kinds);
  expect_within(kinds, {{all_machines, 7.35, 26.35}});
}

/// Errors of the description alone, by kind and machine; those of tables of 2024 and later among them.
using ErrorsByMachine = std::map<std::string, std::map<const NcclMachine*, ErrorsFound>>;

ErrorsByMachine errors_of_all_machines(bool small) {
  std::vector<fs::path> paths = tests::nccl_tables();
  for (const auto& entry : fs::directory_iterator(tests::data_path("nccl_2024"))) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  ErrorsByMachine found;
  for (const fs::path& path : paths) {
    const NcclMachine* row = description_of(path.stem().string());
    if (row == nullptr || row->kind == "vidur" || row->kind == "shared GPU") continue;
    PublishedTable table = read_published(path);
    table.group.nodes = row->nodes.value_or(table.group.nodes);
    std::erase_if(table.figures, [&](const auto& one) { return (one.first < from_mebibyte) != small; });
    if (!table.figures.empty()) found[row->kind][row].add(errors_of(row->hardware, table, all_sizes));
  }
  return found;
}

ErrorsFound of_others(const std::map<const NcclMachine*, ErrorsFound>& machines,
                      const NcclMachine* left_out) {
  ErrorsFound others;
  for (const auto& [row, errors] : machines) {
    if (row != left_out) others.add(errors);
  }
  return others;
}

TEST(NcclPublished, ErrorClassesSayWhatAllMachinesShow) {
  for (const bool small : {false, true}) {
    const ErrorsByMachine kinds = errors_of_all_machines(small);
    for (const ErrorClass& known : error_classes()) {
      const ErrorsFound all = of_others(kinds.at(std::string(known.key)), nullptr);
      std::printf("  %s, %s 1 MiB: %s\n", std::string(known.key).c_str(), small ? "below" : "from",
                  all.text().c_str());
      const Spread& said = small ? known.small : known.alone;
      EXPECT_NEAR(all.at(.5) / 100, said.median, .0051) << known.key << small;
      EXPECT_NEAR(all.at(.9) / 100, said.p90, .0051) << known.key << small;
    }
  }
}

// What is printed of a class is of other machines than the user's: of each one that is left out, the share of
// figures within the p90 of the rest.
TEST(NcclPublished, NineOfTenHoldsOnMachinesThatAreLeftOut) {
  double inside = 0, figures = 0;
  for (const auto& [kind, machines] : errors_of_all_machines(false)) {
    if (machines.size() < 2) continue;
    double inside_kind = 0, of_kind = 0;
    for (const auto& [row, errors] : machines) {
      const double said = of_others(machines, row).at(.9) / 100;
      for (const double error : errors.values) inside_kind += error <= said ? 1 : 0;
      of_kind += static_cast<double>(errors.values.size());
    }
    std::printf("  %s: %zu machines, %.1f %% of %.0f figures\n", kind.c_str(), machines.size(),
                100 * inside_kind / of_kind, of_kind);
    EXPECT_GE(inside_kind / of_kind, kind == "plugin" ? .84 : .88) << kind;
    EXPECT_LE(inside_kind / of_kind, .95) << kind;
    inside += inside_kind;
    figures += of_kind;
  }
  EXPECT_GT(inside / figures, .88);
}

TEST(NcclPublished, TwoPointsGiveTheErrorsThatErrorClassesSay) {
  const auto kinds = errors_by_group(true, all_sizes);
  print_groups("two points, all sizes", kinds);
  expect_within(kinds, {{all_machines, 3.55, 18.35}});
  for (const ErrorClass& known : error_classes()) {
    const ErrorsFound& found = kinds.at(std::string(known.key));
    EXPECT_NEAR(found.at(.5) / 100, known.measured.median, .0051) << known.key;
    EXPECT_NEAR(found.at(.9) / 100, known.measured.p90, .0051) << known.key;
  }
}

// More points of a table: errors on the sizes that were not given.

/// Of n sorted sizes, `count` that are spread evenly, the first and the last among them.
std::vector<std::size_t> spread_over(std::size_t n, std::size_t count) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(static_cast<std::size_t>(
        std::lround(static_cast<double>(i) * static_cast<double>(n - 1) / static_cast<double>(count - 1))));
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

ErrorsFound errors_on_others(Hardware hardware, const PublishedTable& table, std::size_t count) {
  const std::vector<std::pair<double, double>> figures(table.figures.begin(), table.figures.end());
  Measured measured{.operation = table.operation};
  PublishedTable others = table;
  for (const std::size_t i : spread_over(figures.size(), count)) {
    measured.points.push_back({{figures[i].first}, {figures[i].second * 1e-6}});
    others.figures.erase(figures[i].first);
  }
  hardware.measured = measured;
  return errors_of(hardware, others, all_sizes);
}

/// @param count  of points of each table; 0: half of them
ErrorsFound errors_from_points(std::size_t count) {
  ErrorsFound found;
  for (const fs::path& path : tests::nccl_tables()) {
    const NcclMachine* row = description_of(path.stem().string());
    if (row == nullptr || row->kind == "vidur" || row->kind == "shared GPU") continue;
    const PublishedTable table = read_published(path);
    const std::size_t points = count == 0 ? (table.figures.size() + 1) / 2 : count;
    found.add(errors_on_others(row->hardware, table, points));
  }
  std::printf("  from %zu points (0: half): %s\n", count, found.text().c_str());
  return found;
}

TEST(NcclPublished, MorePointsGiveSmallerErrorsOnTheOtherSizes) {
  std::map<std::string, ErrorsFound> kinds;
  for (const std::size_t points : {2U, 4U, 6U, 0U})
    kinds[std::to_string(points)] = errors_from_points(points);
  expect_within(kinds, {{"2", 4.15, 22.25}, {"4", 3.65, 18.65}, {"6", 2.35, 12.35}, {"0", 1.25, 8.55}});
}

// Fewer ranks measured than asked for: vTrain's all-reduce tables of 2 to 8 GPUs.

PublishedTable read_vtrain(const std::string& machine, std::uint32_t ranks) {
  PublishedTable table;
  table.group.ranks = ranks;
  for (const auto& entry : fs::directory_iterator(vtrain_folder + "/" + machine)) {
    if (!entry.path().filename().string().starts_with("AR_GPU" + std::to_string(ranks))) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::istringstream cells(line);
      std::vector<std::string> row;
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
      constexpr std::size_t out_of_place = 3;  // ns
      if (row.size() <= out_of_place || row[0].find_first_not_of(" 0123456789") != std::string::npos)
        continue;
      table.figures[std::stod(row[0])] = std::stod(row[out_of_place]) / 1000;
    }
  }
  return table;
}

ErrorsFound from_fewer_ranks(Hardware hardware, const std::string& machine, std::uint32_t measured,
                             const std::vector<std::uint32_t>& asked) {
  const PublishedTable known = read_vtrain(machine, measured);
  EXPECT_FALSE(known.figures.empty());
  const auto& [small, small_time] = *known.figures.begin();
  const auto& [large, large_time] = *known.figures.rbegin();
  hardware.measured = {.ranks = measured,
                       .points = {{{small}, {small_time * 1e-6}}, {{large}, {large_time * 1e-6}}}};
  ErrorsFound found;
  for (const std::uint32_t ranks : asked)
    found.add(errors_of(hardware, read_vtrain(machine, ranks), all_sizes));
  std::printf("  %s, %s of them from %u: %s\n", machine.c_str(),
              asked.size() == 1 ? std::to_string(asked[0]).c_str() : "several", measured,
              found.text().c_str());
  return found;
}

TEST(NcclPublished, TwoPointsOnFewRanksGiveTimesOnMore) {
  std::map<std::string, ErrorsFound> kinds;
  kinds["8 V100 from 2"] = from_fewer_ranks(published_hardware("vtrain_v100"), "v100", 2, {8});
  kinds["7 A100 from 2"] = from_fewer_ranks(published_hardware("vtrain_a100"), "a100", 2, {7});
  kinds["5 to 7 A100 from 4"] = from_fewer_ranks(published_hardware("vtrain_a100"), "a100", 4, {5, 6, 7});
  kinds["V100 from 2"] = from_fewer_ranks(published_hardware("vtrain_v100"), "v100", 2, {3, 4, 5, 6, 7, 8});
  print_groups("fewer ranks", kinds);
  expect_within(kinds, {{"8 V100 from 2", .95, 4.65},
                        {"7 A100 from 2", 1.05, 2.75},
                        {"5 to 7 A100 from 4", .55, 3.45},
                        {"V100 from 2", 2.55, 21.85}});
}

// 2 x 8 H100 over TCPXO: trees on 16 channels that pass 14 hops inside and 2 between nodes, 180 GB/s a node;
// 150 us are everything else. The table has the fill of whole chunks of 512 KiB at all sizes, which NCCL's
// source leaves whole from 512 MiB on only; what halves none below is not known.
TEST(NcclPublished, FillOfTreesExplainsTcpxo) {
  const fs::path path = tests::data_path("nccl/gcp_a3mega_2x8_h100_tcpxo_all_reduce.csv");
  const PublishedTable table = read_published(path);
  Hardware hardware = published_hardware("gcp_a3mega_2x8_h100_tcpxo_all_reduce");
  hardware.network->measured_rate = {180e9 / 8};
  hardware.environment = {.protocols = {Protocol::simple}, .algorithms = {Algorithm::tree}};
  const auto model = Model::make(hardware, table.group);
  constexpr double chunk = 524288;
  constexpr double whole_fill = chunk * (2 * 16 / 180e9 + 14 / 12e9);
  double worst = 0;
  for (const auto& [size, time] : table.figures) {
    if (size < 32 * from_mebibyte) continue;
    const Time ours = *model->time(table.operation, {size});
    EXPECT_EQ(ours.choice->channels, 16);
    if (size >= 512 * from_mebibyte) {
      EXPECT_NEAR(ours.fill.count, whole_fill, 1e-9);
    }
    worst = std::max(worst, std::abs(((ours.wire.count + whole_fill) * 1e6 + 150) / time - 1));
  }
  EXPECT_LE(worst, .037);
  EXPECT_GT(worst, .01);
}

}  // namespace
}  // namespace netmodels::nccl
