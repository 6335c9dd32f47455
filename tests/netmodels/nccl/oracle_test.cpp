// NCCL 2.26.6's own graphs, cost tables and choices against ours. Nothing here is fitted to the topologies:
// the constants are those of NCCL's source, so that leaving a topology out changes no figure of the others.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>

#include "netmodels/nccl/tuner.hpp"
#include "tests/data_folder.hpp"
#include "tests/netmodels/nccl/described.hpp"
#include "tests/source_tree.hpp"

namespace netmodels::nccl {
namespace {

namespace fs = std::filesystem;

/// A machine of the oracle: topology file, nodes, multicast.
struct Case {
  std::string topology;
  int nodes = 1;
  bool multicast = false;

  auto operator<=>(const Case&) const = default;
};

struct Described {
  Hardware hardware;
  Group group;
};

Described described(const Case& oracle) {
  const std::string& name = oracle.topology;
  const auto nodes = static_cast<std::uint32_t>(oracle.nodes);
  if (name.starts_with("v100x")) {
    return {v100_mesh(), {.ranks = static_cast<std::uint32_t>(std::stoi(name.substr(5)))}};
  }
  if (name.starts_with("a100x")) {
    const auto gpus = static_cast<std::uint32_t>(std::stoi(name.substr(5)));
    return {switched(80, 12, 8), {.ranks = gpus}};
  }
  Hardware hardware = switched(name.starts_with("b200") ? 100 : 90, 18, 8);
  hardware.nvlink.multicast = oracle.multicast;
  if (name.starts_with("h100x1_")) hardware.gpu.per_node = 1;
  if (name == "h100x1_400") hardware.network = interfaces(1, 400);
  if (name == "h100x8_8n200") hardware.network = interfaces(8, 200);
  if (name == "h100x8_8n400") hardware.network = interfaces(8, 400);
  const auto gpus = static_cast<std::uint32_t>(hardware.gpu.per_node);
  return {hardware, {.ranks = gpus * nodes, .nodes = nodes}};
}

struct Switch {
  double from;
  std::string algorithm;
  std::string protocol;
};
using Choices = std::map<std::pair<Case, std::string>, std::vector<Switch>>;

struct Agreement {
  int same = 0;
  int all = 0;
  std::string misses;

  [[nodiscard]] double share() const { return static_cast<double>(same) / all; }
};

/// At each power of two from 8 B to 8 GiB.
Agreement compare(const Choices& choices) {
  Agreement agreement;
  for (const auto& [key, switches] : choices) {
    const auto [hardware, group] = described(key.first);
    EXPECT_TRUE(validate(hardware, group).has_value());
    const CostTable table(hardware, group);
    const Operation operation = *find_operation(key.second);
    for (int exponent = 3; exponent <= 33; ++exponent) {
      const double size = std::exp2(exponent);
      const auto theirs = std::ranges::find_if(switches.rbegin(), switches.rend(),
                                               [&](const Switch& each) { return each.from <= size; });
      const Choice ours = *table.choose(operation, {size});
      ++agreement.all;
      if (to_string(ours.algorithm) == theirs->algorithm && to_string(ours.protocol) == theirs->protocol) {
        ++agreement.same;
        continue;
      }
      std::ostringstream line;
      line << key.first.topology << " x" << key.first.nodes << " multicast " << key.first.multicast << " "
           << key.second << " 2^" << exponent << ": NCCL " << theirs->algorithm << " " << theirs->protocol
           << ", here " << to_string(ours.algorithm) << " " << to_string(ours.protocol) << "\n";
      agreement.misses += line.str();
    }
  }
  return agreement;
}

Choices shipped_choices() {
  std::ifstream file(tests::source_dir() + "/tests/netmodels/nccl/nccl_2_26_6_choices.csv");
  Choices choices;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("#") || line.starts_with("topology")) continue;
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    choices[{{row[0], std::stoi(row[1]), row[2] == "1"}, row[3]}].push_back(
        {std::stod(row[4]), row[5], row[6]});
  }
  return choices;
}

TEST(NcclOracle, ChoosesAsNcclDoesAtEverySizeOfTheShippedChoices) {
  const Choices choices = shipped_choices();
  ASSERT_EQ(choices.size(), 24U * 5);
  const Agreement agreement = compare(choices);
  RecordProperty("agreement", std::to_string(agreement.same) + " of " + std::to_string(agreement.all));
  EXPECT_EQ(agreement.all, 24 * 5 * 31);
  EXPECT_GE(agreement.share(), 0.995) << agreement.misses;
  EXPECT_EQ(agreement.misses, "");
}

// The whole output of the oracle: graphs, channels and costs too.

const std::string oracle_folder = tests::data_path("nccl-oracle");

/// The oracle's files but one node of topologies with interfaces, which NCCL removes on one node.
std::vector<std::pair<Case, fs::path>> oracle_files() {
  static const std::regex name("(.*)_nodes(\\d)_nvls(\\d)");
  std::vector<std::pair<Case, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(oracle_folder)) {
    std::smatch match;
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".txt" || !std::regex_match(stem, match, name)) continue;
    const Case oracle{match[1], std::stoi(match[2]), match[3] == "1"};
    const bool has_interfaces = described(oracle).hardware.network.has_value();
    if (oracle.nodes > 1 || !has_interfaces) files.emplace_back(oracle, entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// The number after `key=`.
double figure(const std::string& line, const std::string& key) {
  const auto at = line.find(" " + key + "=");
  return std::stod(line.substr(at + key.size() + 2));
}

void expect_graph(const std::string& line, const Graph& ours, const std::string& which) {
  SCOPED_TRACE(which + ": " + line);
  EXPECT_EQ(ours.channels, figure(line, "n"));
  EXPECT_NEAR(ours.inside.count / giga_rate, figure(line, "bwIntra"), 1e-3);
  if (!line.starts_with("GRAPH nvls")) {
    EXPECT_NEAR(ours.between.count / giga_rate, figure(line, "bwInter"), 1e-3);
    if (line.starts_with("GRAPH ring")) {
      EXPECT_EQ(ours.same_channels, figure(line, "same") == 1);
    }
  }
}

TEST(NcclOracle, FindsTheGraphsAndCostsThatNcclPrints) {
  for (const auto& [oracle, path] : oracle_files()) {
    const auto [hardware, group] = described(oracle);
    const CostTable table(hardware, group);
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      SCOPED_TRACE(path.stem().string() + ": " + line);
      std::istringstream words(line);
      std::string kind;
      std::string operation;
      std::string algorithm;
      std::string protocol;
      words >> kind >> operation >> algorithm >> protocol;
      if (line.starts_with("GRAPH ring")) expect_graph(line, table.graphs().ring, "ring");
      if (line.starts_with("GRAPH tree")) expect_graph(line, table.graphs().tree, "tree");
      if (line.starts_with("GRAPH nvls") && oracle.multicast) expect_graph(line, table.graphs().nvls, "nvls");
      if (kind == "CHANNELS") {
        EXPECT_EQ(table.graphs().channels, std::stoi(operation));
      }
      if (kind != "TUNE") continue;
      bool found = false;
      for (int a = 0; a < 5; ++a) {
        for (int p = 0; p < 3; ++p) {
          if (to_string(static_cast<Algorithm>(a)) != algorithm ||
              to_string(static_cast<Protocol>(p)) != protocol)
            continue;
          const auto& entry =
              table.entry(*find_operation(operation), static_cast<Algorithm>(a), static_cast<Protocol>(p));
          found = true;
          EXPECT_NEAR(entry.latency.count * 1e6, figure(line, "lat"), 0.051);
          EXPECT_NEAR(entry.bandwidth.count / giga_rate, figure(line, "bw"), 0.0051);
          if (algorithm != "pat") {  // the oracle prints 0 for it
            EXPECT_EQ(entry.threads, figure(line, "threads"));
          }
        }
      }
      EXPECT_TRUE(found);
    }
  }
}

TEST(NcclOracle, TheShippedChoicesAreThoseOfTheOracle) {
  std::size_t switches = 0;
  const Choices shipped = shipped_choices();
  for (const auto& [oracle, path] : oracle_files()) {
    std::ifstream file(path);
    std::map<std::string, std::size_t> next;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string kind;
      std::string operation;
      std::string from;
      std::string size;
      Switch each;
      words >> kind >> operation >> from >> size >> each.algorithm >> each.protocol;
      if (kind != "CHOICE") continue;
      const Switch& ours = shipped.at({oracle, operation}).at(next[operation]++);
      EXPECT_EQ(ours.from, std::stod(size));
      EXPECT_EQ(ours.algorithm, each.algorithm);
      EXPECT_EQ(ours.protocol, each.protocol);
      ++switches;
    }
  }
  std::size_t all = 0;
  for (const auto& [key, list] : shipped) all += list.size();
  EXPECT_EQ(switches, all);
}

}  // namespace
}  // namespace netmodels::nccl
