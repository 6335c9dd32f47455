// Reads layers and their measured times, and holds the two against each other.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "netmodels/nearest.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/language/table_file.hpp"

namespace sim::inputs {
namespace {

using netmodels::Bytes;
using netmodels::Flops;
using netmodels::Layer;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::array<std::string_view, 6> layer_columns{"layer",
                                                        "type",
                                                        "parameters",
                                                        "forward_flops_per_sample",
                                                        "backward_flops_per_sample",
                                                        "activation_bytes_per_sample"};
constexpr std::array<std::string_view, 3> time_columns{"layer", "forward_us", "backward_us"};
constexpr std::string_view total_ending = "_total";

Result<Layer> layer_of(const language::TableFile& table, std::size_t row) {
  GRADSIM_TRY(parameters, table.count(row, "parameters"));
  GRADSIM_TRY(forward, table.number(row, "forward_flops_per_sample"));
  GRADSIM_TRY(backward, table.number(row, "backward_flops_per_sample"));
  GRADSIM_TRY(activation, table.number(row, "activation_bytes_per_sample"));
  Layer layer;
  layer.name = table.text(row, "layer");
  layer.kind = table.text(row, "type");
  layer.parameters = *parameters;
  layer.forward_flops = Flops{*forward};
  layer.backward_flops = Flops{*backward};
  layer.activation = Bytes{*activation};
  return layer;
}

/// Rows of a file of times by their name, each with its line.
struct TimedRow {
  std::size_t line;
  MeasuredTime time;
};
using TimedRows = std::map<std::string, TimedRow, std::less<>>;

Result<TimedRows> rows_of(const language::TableFile& table) {
  TimedRows rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    GRADSIM_TRY(forward, table.number(row, "forward_us"));
    GRADSIM_TRY(backward, table.number(row, "backward_us"));
    const std::string& name = table.text(row, "layer");
    const MeasuredTime time{Seconds{*forward * 1e-6}, Seconds{*backward * 1e-6}};
    if (!rows.emplace(name, TimedRow{row, time}).second) {
      return refuse(table.where(row, "layer"), "duplicate layer `" + name + "`", "one row for each layer");
    }
  }
  return rows;
}

/// The type whose total the row states, if there are layers of that type.
std::optional<std::string_view> total_type(std::string_view name, const std::vector<Layer>& layers) {
  if (!name.ends_with(total_ending)) return std::nullopt;
  const std::string_view type = name.substr(0, name.size() - total_ending.size());
  if (std::ranges::none_of(layers, [&](const Layer& layer) { return layer.kind == type; }))
    return std::nullopt;
  return type;
}

Result<void> check_rows(const language::TableFile& table, const TimedRows& rows,
                        const std::vector<Layer>& layers) {
  std::vector<std::string_view> known;
  known.reserve(layers.size());
  for (const Layer& layer : layers) known.push_back(layer.name);
  for (const auto& [name, row] : rows) {
    if (std::ranges::find(known, name) != known.end() || total_type(name, layers)) continue;
    std::string hint = netmodels::suggestion(name, known);
    if (hint.empty()) hint = "a layer of the layer table, or TYPE_total for all layers of one type";
    return refuse(table.where(row.line, "layer"), "`" + name + "` is not a layer of the layer table", hint);
  }
  return {};
}

/// A layer's share of its type's total among those without their own row.
double share_of(const Layer& layer, const std::vector<Layer>& layers, const TimedRows& rows) {
  Bytes sum;
  std::size_t count = 0;
  for (const Layer& other : layers) {
    if (other.kind != layer.kind || rows.contains(other.name)) continue;
    sum += other.activation;
    ++count;
  }
  return sum > Bytes{} ? layer.activation / sum : 1.0 / static_cast<double>(count);
}

}  // namespace

Result<std::vector<Layer>> read_layers(const std::filesystem::path& path) {
  GRADSIM_TRY(table, language::TableFile::read(path, layer_columns));
  std::vector<Layer> layers;
  std::set<std::string> names;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(layer, layer_of(*table, row));
    if (layer->name.empty()) return refuse(table->where(row, "layer"), "a layer without a name");
    if (!names.insert(layer->name).second) {
      return refuse(table->where(row, "layer"), "duplicate layer `" + layer->name + "`",
                    "a name for each layer");
    }
    layers.push_back(std::move(*layer));
  }
  return layers;
}

Result<std::vector<MeasuredTime>> read_measured(const std::filesystem::path& path,
                                                const std::vector<Layer>& layers,
                                                const std::vector<std::string>& unmeasured) {
  GRADSIM_TRY(table, language::TableFile::read(path, time_columns));
  GRADSIM_TRY(rows, rows_of(*table));
  if (const auto checked = check_rows(*table, *rows, layers); !checked)
    return tl::unexpected(checked.error());

  std::vector<MeasuredTime> times;
  for (const Layer& layer : layers) {
    const auto total = rows->find(layer.kind + std::string(total_ending));
    if (const auto own = rows->find(layer.name); own != rows->end()) {
      times.push_back(own->second.time);
    } else if (total != rows->end()) {
      const double share = share_of(layer, layers, *rows);
      times.push_back({total->second.time.forward * share, total->second.time.backward * share});
    } else if (std::ranges::find(unmeasured, layer.kind) != unmeasured.end()) {
      times.emplace_back();
    } else {
      return refuse(path.string(), "layer `" + layer.name + "` has no row",
                    "add it, or `" + layer.kind + std::string(total_ending) + "`, or list `" + layer.kind +
                        "` under `unmeasured`");
    }
  }
  return times;
}

}  // namespace sim::inputs
