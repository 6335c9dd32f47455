// Lists of data files of the scenarios folder: workloads, devices, transports, prices, stacks, clusters.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "settings/type.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/document.hpp"
#include "sim/language/text_file.hpp"
#include "sim/list_cells.hpp"
#include "sim/name_lists.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario_files.hpp"

namespace sim {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;
using netmodels::Result;

namespace {

/// A name as a scenario writes it.
language::Value named(const std::string& name) {
  return language::Value::scalar(name, language::Origin("sim list"));
}

/// A workload under the name of its file.
struct NamedWorkload {
  std::string name;
  netmodels::Workload workload;
};

}  // namespace

Result<Table> list_workloads() {
  using Row = NamedWorkload;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"parameters", "parameters", Measure::none,
                    [](const Row& r) -> Cell { return r.workload.parameters(); }},
      ColumnOf<Row>{"batch", "batch", Measure::none,
                    [](const Row& r) -> Cell { return std::int64_t{r.workload.reference_batch}; }},
      ColumnOf<Row>{
          "compute_time_s", "step alone", Measure::time,
          [](const Row& r) -> Cell { return r.workload.compute(r.workload.reference_batch).count; }},
      ColumnOf<Row>{"compute_time_origin", "times", Measure::none,
                    [](const Row& r) { return text_cell(to_string(r.workload.origin)); }},
      ColumnOf<Row>{"device", "device", Measure::none,
                    [](const Row& r) { return text_cell(r.workload.device); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_workloads(data_folder())) {
    GRADSIM_TRY(workload, inputs::load_workload(named(name), data_folder()));
    rows.push_back({name, std::move(*workload)});
  }
  return table_of(columns, std::span<const Row>(rows));
}

namespace {

Cell peaks_text(const inputs::DeviceKeys& device) {
  std::string peaks;
  for (const inputs::PeakKeys& other : device.peaks)
    peaks += fmt::format("{}{} {}", peaks.empty() ? "" : ", ", settings::name_of(other.precision),
                         netmodels::print(other.peak));
  return peaks.empty() ? Cell() : Cell(peaks);
}

}  // namespace

Result<Table> list_devices() {
  using Row = inputs::DeviceKeys;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"peak_flop_per_s", "peak (FLOP/s)", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{:.4g}", r.peak.count); }},
      ColumnOf<Row>{"precision", "precision", Measure::none,
                    [](const Row& r) { return text_cell(settings::name_of(r.precision)); }},
      ColumnOf<Row>{"other_peaks", "other peaks", Measure::none, [](const Row& r) { return peaks_text(r); }},
      ColumnOf<Row>{"memory_bandwidth_bytes_per_s", "memory (B/s)", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{:.4g}", r.memory_bandwidth.count); }},
      ColumnOf<Row>{"provenance", "provenance", Measure::none,
                    [](const Row& r) { return text_cell(r.provenance); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_devices(data_folder())) {
    GRADSIM_TRY(device, inputs::load_device_keys(named(name), data_folder()));
    rows.push_back(std::move(*device));
  }
  return table_of(columns, std::span<const Row>(rows));
}

namespace {

/// The lowest and the highest share over all line rates.
Cell range_text(const inputs::Transport& transport) {
  const auto low_of = [](const netmodels::GoodputClass& known) { return known.shares.low; };
  const auto high_of = [](const netmodels::GoodputClass& known) { return known.shares.high; };
  return fmt::format("{:.3g} % to {:.3g} %", 100 * low_of(std::ranges::min(transport.goodput, {}, low_of)),
                     100 * high_of(std::ranges::max(transport.goodput, {}, high_of)));
}

Cell fits_text(const inputs::Transport& transport) {
  std::string kinds;
  for (const inputs::FabricKind kind : transport.fits)
    kinds += (kinds.empty() ? "" : ", ") + std::string(settings::name_of(kind));
  return kinds;
}

Cell cpu_text(const inputs::Transport& transport) {
  std::string costs;
  for (const inputs::CpuCost& cost : transport.cpu)
    costs += fmt::format("{}{:.3g} at {} ({})", costs.empty() ? "" : "; ", cost.cores,
                         netmodels::print(cost.rate), cost.source);
  return costs.empty() ? Cell() : Cell(costs);
}

}  // namespace

Result<Table> list_transports() {
  using Row = inputs::Transport;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"fits", "over", Measure::none, [](const Row& r) { return fits_text(r); }},
      ColumnOf<Row>{"line_rates", "line rates", Measure::none,
                    [](const Row& r) -> Cell { return r.known_rates(); }},
      ColumnOf<Row>{"goodput_share", "goodput", Measure::none, [](const Row& r) { return range_text(r); }},
      ColumnOf<Row>{"latency_s", "latency", Measure::time,
                    [](const Row& r) -> Cell { return r.latency ? Cell(r.latency->mid.count) : Cell(); }},
      ColumnOf<Row>{"cpu_cores", "CPU cores", Measure::none, [](const Row& r) { return cpu_text(r); }},
      ColumnOf<Row>{"provenance", "provenance", Measure::none,
                    [](const Row& r) { return text_cell(r.provenance); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_transports(data_folder())) {
    GRADSIM_TRY(transport, inputs::load_transport(named(name), data_folder()));
    rows.push_back(std::move(*transport));
  }
  return table_of(columns, std::span<const Row>(rows));
}

Result<Table> list_prices() {
  using Row = scenario::MachinePrice;
  constexpr double seconds_per_hour = 3600;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"accelerator", "accelerator", Measure::none,
                    [](const Row& r) {
                      return text_cell(r.accelerators == 0
                                           ? "none"
                                           : fmt::format("{} x {}", r.accelerators, r.accelerator));
                    }},
      ColumnOf<Row>{"vcpus", "vCPUs", Measure::none, [](const Row& r) -> Cell { return r.vcpus; }},
      ColumnOf<Row>{"on_demand_usd_per_h", "on demand (USD/h)", Measure::none,
                    [](const Row& r) -> Cell { return r.on_demand.count * seconds_per_hour; }},
      ColumnOf<Row>{
          "spot_usd_per_h", "spot, median (USD/h)", Measure::none,
          [](const Row& r) -> Cell { return r.spot ? Cell(r.spot->count * seconds_per_hour) : Cell(); }},
      ColumnOf<Row>{"region", "region", Measure::none, [](const Row& r) { return text_cell(r.region); }},
      ColumnOf<Row>{"as_of", "as of", Measure::none, [](const Row& r) { return text_cell(r.as_of); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  GRADSIM_TRY(rows, scenario::load_prices(data_folder()));
  return table_of(columns, std::span<const Row>(*rows));
}

namespace {

/// A software stack on one device.
struct NamedStack {
  std::string name;
  inputs::StackDeviceKeys row;
  std::string source;
};

/// "81.2 %", or the range over the sizes of models.
std::string efficiency_of(const inputs::StackDeviceKeys& row) {
  if (row.efficiency) return netmodels::percent(*row.efficiency, 1);
  const auto [least, most] = std::ranges::minmax(row.sizes, {}, &inputs::SizeKeys::share);
  return fmt::format("{:.1f} % to {:.1f} %, by size of the model", 100 * least.share, 100 * most.share);
}

}  // namespace

Result<Table> list_stacks() {
  using Row = NamedStack;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text_cell(r.name); }},
      ColumnOf<Row>{"device", "device", Measure::none, [](const Row& r) { return text_cell(r.row.device); }},
      ColumnOf<Row>{"precision", "precision", Measure::none,
                    [](const Row& r) { return text_cell(settings::name_of(r.row.precision)); }},
      ColumnOf<Row>{"efficiency", "share of the peak", Measure::none,
                    [](const Row& r) { return text_cell(efficiency_of(r.row)); }},
      ColumnOf<Row>{"within", "published runs within", Measure::share,
                    [](const Row& r) -> Cell { return r.row.within; }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text_cell(r.source); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : language::names_in(data_folder() / "stacks")) {
    GRADSIM_TRY(stack, inputs::read_stack(named(name), data_folder()));
    for (const inputs::StackDeviceKeys& row : stack->devices) rows.push_back({name, row, stack->provenance});
  }
  return table_of(columns, std::span<const Row>(rows));
}

/// The sentence on line 1 of each file.
Result<Table> list_clusters() {
  const auto folder = data_folder() / "clusters";
  std::vector<NamedLine> rows;
  for (const std::string& name : language::names_in(folder)) {
    GRADSIM_TRY(document, language::read_document(folder / (name + ".yaml")));
    rows.push_back({name, document->question});
  }
  return line_table(rows);
}

}  // namespace sim
