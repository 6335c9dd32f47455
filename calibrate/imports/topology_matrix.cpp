// Reads the matrix that `nvidia-smi topo -m` prints.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/node_topology.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr int most_devices = 4096;

/// The number in a name: `GPU7`.
std::optional<int> numbered(std::string_view name, std::string_view begin) {
  if (!name.starts_with(begin)) return std::nullopt;
  const auto number = files::read_integer(name.substr(begin.size()));
  if (!number || *number < 0 || *number >= most_devices) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_gpu(std::string_view name) { return numbered(name, "GPU").has_value(); }

/// `NV12`: the number of links; 0 for a path over PCIe; nothing for an unknown word.
std::optional<int> nvlinks(std::string_view word) {
  if (const auto links = numbered(word, "NV")) return links;
  constexpr std::array paths{"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "PSB"};
  return std::ranges::find(paths, word) == paths.end() ? std::nullopt : std::optional(0);
}

PciPath path_of(std::string_view word) {
  if (word == "PIX" || word == "PSB") return PciPath::one_switch;
  if (word == "PXB") return PciPath::switches;
  return word == "PHB" || word == "NODE" ? PciPath::host_bridge : PciPath::processors;
}

/// Reads the rows of one matrix, whose columns are the devices of its first line.
class MatrixReader {
 public:
  explicit MatrixReader(const std::string& source) { node_.source = source + " (nvidia-smi topo -m)"; }

  Result<void> line(std::string_view text) {
    ++line_;
    const auto words = files::words_of(text);
    if (words.empty()) return {};
    if (columns_.empty()) return header(words);
    if (const auto label = legend(words)) names_[label->first] = label->second;
    const bool is_row = std::ranges::find(columns_, words.front().text) != columns_.end();
    return is_row ? row(words) : Result<void>();
  }

  Result<NodeTopology> finish() {
    node_.gpus = static_cast<int>(std::ranges::count_if(columns_, is_gpu));
    if (node_.gpus == 0)
      return refuse(node_.source, "no matrix of GPUs found", "use the whole output of `nvidia-smi topo -m`");
    if (rows_ < static_cast<int>(columns_.size()))
      return refuse(node_.source, fmt::format("{} rows for {} columns", rows_, columns_.size()),
                    "use the whole output of `nvidia-smi topo -m`");
    take_interfaces();
    take_pairs();
    return std::move(node_);
  }

 private:
  /// Devices are all columns up to `CPU Affinity`: GPUs, and interfaces by any name.
  Result<void> header(const std::vector<files::Word>& words) {
    if (!is_gpu(words.front().text) || words.size() < 2 || nvlinks(words[1].text)) return {};
    for (const files::Word& word : words) {
      if (word.text == "CPU" || word.text == "NUMA") break;
      columns_.emplace_back(word.text);
    }
    return {};
  }

  /// `NIC0: mlx5_0`.
  static std::optional<std::pair<std::string, std::string>> legend(const std::vector<files::Word>& words) {
    if (words.size() != 2 || !words[0].text.ends_with(':')) return std::nullopt;
    const std::string name(words[0].text.substr(0, words[0].text.size() - 1));
    if (!numbered(name, "NIC")) return std::nullopt;
    return std::pair(name, std::string(words[1].text));
  }

  Result<void> row(const std::vector<files::Word>& words) {
    ++rows_;
    const std::string from(words.front().text);
    if (words.size() <= columns_.size())
      return refuse(files::place(node_.source, line_, 1), "the row is truncated", "use the whole output");
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const files::Word& word = words[i + 1];
      if (!nvlinks(word.text))
        return refuse(files::place(node_.source, line_, word.column),
                      fmt::format("`{}` is not a connection", word.text),
                      "accepted: X, NV#, PIX, PXB, PHB, NODE, SYS");
      if (auto kept = store(from, columns_[i], std::string(word.text)); !kept) return kept;
    }
    return {};
  }

  /// Both halves of the matrix say the same.
  Result<void> store(const std::string& from, const std::string& to, std::string word) {
    const auto pair = std::minmax(from, to);
    const auto [found, is_new] = cells_.try_emplace({pair.first, pair.second}, word);
    if (is_new || found->second == word) return {};
    return refuse(files::place(node_.source, line_, 1),
                  fmt::format("{} and {} are joined by {} and by {}", from, to, found->second, word),
                  "use the output of one node");
  }

  void take_interfaces() {
    for (const std::string& name : columns_) {
      if (is_gpu(name)) continue;
      NodeInterface one{names_.contains(name) ? names_[name] : name};
      for (const auto& [ends, word] : cells_) {
        const bool joins =
            (ends.first == name && is_gpu(ends.second)) || (ends.second == name && is_gpu(ends.first));
        if (joins) one.nearest = std::min(one.nearest, path_of(word));
      }
      node_.interfaces.push_back(std::move(one));
    }
  }

  void take_pairs() {
    node_.pairs_may_be_switched = true;
    std::map<std::string, int> neighbours;
    for (const auto& [ends, word] : cells_) {
      if (ends.first == ends.second || !is_gpu(ends.first) || !is_gpu(ends.second)) continue;
      const int links = *nvlinks(word);
      if (links > 0)
        node_.pairs.push_back({*numbered(ends.first, "GPU"), *numbered(ends.second, "GPU"), links});
      if (links == 0 && path_of(word) <= PciPath::switches) {
        ++neighbours[ends.first];
        ++neighbours[ends.second];
      }
    }
    for (NvLinkPair& pair : node_.pairs)
      if (pair.first > pair.second) std::swap(pair.first, pair.second);
    std::ranges::sort(node_.pairs, {}, [](const NvLinkPair& p) { return std::pair(p.first, p.second); });
    if (!node_.pairs.empty()) return;  // NVLink hides what PCIe joins
    int most = 0;
    for (const auto& [gpu, count] : neighbours) most = std::max(most, count);
    node_.gpus_per_uplink = most + 1;
  }

  NodeTopology node_;
  int line_ = 0;
  int rows_ = 0;
  std::vector<std::string> columns_;
  std::map<std::string, std::string> names_;
  std::map<std::pair<std::string, std::string>, std::string> cells_;
};

}  // namespace

Result<NodeTopology> read_topology_matrix(std::string_view text, const std::string& source) {
  MatrixReader reader(source);
  for (const std::string_view line : files::lines_of(text))
    if (auto read = reader.line(line); !read) return tl::unexpected(read.error());
  return reader.finish();
}

}  // namespace calibrate::imports
