// `sim list`: prints the names that a scenario may use.
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/output_format.hpp"
#include "kernels/catalogue.hpp"
#include "learning/datasets/catalogue.hpp"
#include "learning/learners/learner_row.hpp"
#include "learning/models/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/execution.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/percent.hpp"
#include "policies/catalogue.hpp"
#include "settings/type.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/document.hpp"
#include "sim/language/text_file.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/rental.hpp"
#include "sim/scenario/support.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;
using netmodels::Result;

Cell text(std::string_view value) { return std::string(value); }
Cell yes_or_no(bool value) { return std::string(value ? "yes" : "no"); }

template <class Row, std::size_t n>
Table table_of(const std::array<ColumnOf<Row>, n>& columns, std::span<const Row> rows) {
  return command_line::fill(std::span<const ColumnOf<Row>>(columns), rows);
}

Result<Table> collectives() {
  using Row = netmodels::Collective;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"kind", "kind", Measure::none, [](const Row& r) { return text(to_string(r.kind)); }},
      ColumnOf<Row>{"size", "M is", Measure::none, [](const Row& r) { return text(to_string(r.size)); }},
      ColumnOf<Row>{"formula", "formula", Measure::none, [](const Row& r) { return text(r.formula); }},
      ColumnOf<Row>{"schedule", "schedule", Measure::none,
                    [](const Row& r) { return yes_or_no(r.schedule != nullptr); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  return table_of(columns, netmodels::collectives());
}

/// Limits of buckets, as a scenario writes them.
Cell buckets_cell(const netmodels::GradientParts& parts) {
  if (parts.per_tensor) return text("a tensor each");
  if (parts.limits.first == netmodels::Bytes{}) return text("whole gradient");
  if (parts.limits.first == parts.limits.later) return netmodels::print(parts.limits.first);
  return fmt::format("{}, then {}", netmodels::print(parts.limits.first),
                     netmodels::print(parts.limits.later));
}

Result<Table> executions() {
  using Row = netmodels::ExecutionModel;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"buckets", "buckets", Measure::none, [](const Row& r) { return buckets_cell(r.parts); }},
      ColumnOf<Row>{"overlaps", "overlaps", Measure::none,
                    [](const Row& r) { return yes_or_no(r.overlaps); }},
      ColumnOf<Row>{"broadcasts_buffers", "broadcasts buffers", Measure::none,
                    [](const Row& r) { return yes_or_no(r.broadcasts_buffers); }},
      ColumnOf<Row>{"compresses", "compresses", Measure::none,
                    [](const Row& r) { return yes_or_no(r.compresses); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  return table_of(columns, netmodels::execution_models());
}

Result<Table> compressors() {
  using Row = kernels::Entry;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"exchange", "exchange", Measure::none,
                    [](const Row& r) { return text(to_string(r.exchange)); }},
      ColumnOf<Row>{"sparse", "sparse", Measure::none, [](const Row& r) { return yes_or_no(r.sparse); }},
      ColumnOf<Row>{"error_feedback", "error feedback", Measure::none,
                    [](const Row& r) { return yes_or_no(r.error_feedback); }},
      ColumnOf<Row>{"execution", "execution", Measure::none, [](const Row& r) { return text(r.execution); }},
      ColumnOf<Row>{"formula", "bytes per rank", Measure::none, [](const Row& r) { return text(r.formula); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  return table_of(columns, kernels::wire_formats());
}

Result<Table> policies() {
  using Row = ::policies::PolicyRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"role", "role", Measure::none, [](const Row& r) { return text(r.role); }},
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text(r.summary); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  const std::vector<Row> rows = ::policies::catalogue();
  return table_of(columns, std::span<const Row>(rows));
}

/// A name as a scenario writes it.
language::Value named(const std::string& name) {
  return language::Value::scalar(name, language::Origin("sim list"));
}

/// A workload under the name of its file.
struct NamedWorkload {
  std::string name;
  netmodels::Workload workload;
};

Result<Table> workloads() {
  using Row = NamedWorkload;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"parameters", "parameters", Measure::none,
                    [](const Row& r) -> Cell { return r.workload.parameters(); }},
      ColumnOf<Row>{"batch", "batch", Measure::none,
                    [](const Row& r) -> Cell { return std::int64_t{r.workload.reference_batch}; }},
      ColumnOf<Row>{
          "compute_time_s", "step alone", Measure::time,
          [](const Row& r) -> Cell { return r.workload.compute(r.workload.reference_batch).count; }},
      ColumnOf<Row>{"compute_time_origin", "times", Measure::none,
                    [](const Row& r) { return text(to_string(r.workload.origin)); }},
      ColumnOf<Row>{"device", "device", Measure::none, [](const Row& r) { return text(r.workload.device); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_workloads(data_folder())) {
    GRADSIM_TRY(workload, inputs::load_workload(named(name), data_folder()));
    rows.push_back({name, std::move(*workload)});
  }
  return table_of(columns, std::span<const Row>(rows));
}

Cell peaks_text(const inputs::DeviceKeys& device) {
  std::string peaks;
  for (const inputs::PeakKeys& other : device.peaks)
    peaks += fmt::format("{}{} {}", peaks.empty() ? "" : ", ", settings::name_of(other.precision),
                         netmodels::print(other.peak));
  return peaks.empty() ? Cell() : Cell(peaks);
}

Result<Table> devices() {
  using Row = inputs::DeviceKeys;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"peak_flop_per_s", "peak (FLOP/s)", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{:.4g}", r.peak.count); }},
      ColumnOf<Row>{"precision", "precision", Measure::none,
                    [](const Row& r) { return text(settings::name_of(r.precision)); }},
      ColumnOf<Row>{"other_peaks", "other peaks", Measure::none, [](const Row& r) { return peaks_text(r); }},
      ColumnOf<Row>{"memory_bandwidth_bytes_per_s", "memory (B/s)", Measure::none,
                    [](const Row& r) -> Cell { return fmt::format("{:.4g}", r.memory_bandwidth.count); }},
      ColumnOf<Row>{"provenance", "provenance", Measure::none,
                    [](const Row& r) { return text(r.provenance); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_devices(data_folder())) {
    GRADSIM_TRY(device, inputs::load_device_keys(named(name), data_folder()));
    rows.push_back(std::move(*device));
  }
  return table_of(columns, std::span<const Row>(rows));
}

/// Over all line rates: the lowest and the highest share.
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

Result<Table> transports() {
  using Row = inputs::Transport;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"fits", "over", Measure::none, [](const Row& r) { return fits_text(r); }},
      ColumnOf<Row>{"line_rates", "line rates", Measure::none,
                    [](const Row& r) -> Cell { return r.known_rates(); }},
      ColumnOf<Row>{"goodput_share", "goodput", Measure::none, [](const Row& r) { return range_text(r); }},
      ColumnOf<Row>{"latency_s", "latency", Measure::time,
                    [](const Row& r) -> Cell { return r.latency ? Cell(r.latency->mid.count) : Cell(); }},
      ColumnOf<Row>{"cpu_cores", "CPU cores", Measure::none, [](const Row& r) { return cpu_text(r); }},
      ColumnOf<Row>{"provenance", "provenance", Measure::none,
                    [](const Row& r) { return text(r.provenance); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : inputs::list_transports(data_folder())) {
    GRADSIM_TRY(transport, inputs::load_transport(named(name), data_folder()));
    rows.push_back(std::move(*transport));
  }
  return table_of(columns, std::span<const Row>(rows));
}

Result<Table> prices() {
  using Row = scenario::MachinePrice;
  constexpr double seconds_per_hour = 3600;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{
          "accelerator", "accelerator", Measure::none,
          [](const Row& r) {
            return text(r.accelerators == 0 ? "none" : fmt::format("{} x {}", r.accelerators, r.accelerator));
          }},
      ColumnOf<Row>{"vcpus", "vCPUs", Measure::none, [](const Row& r) -> Cell { return r.vcpus; }},
      ColumnOf<Row>{"on_demand_usd_per_h", "on demand (USD/h)", Measure::none,
                    [](const Row& r) -> Cell { return r.on_demand.count * seconds_per_hour; }},
      ColumnOf<Row>{
          "spot_usd_per_h", "spot, median (USD/h)", Measure::none,
          [](const Row& r) -> Cell { return r.spot ? Cell(r.spot->count * seconds_per_hour) : Cell(); }},
      ColumnOf<Row>{"region", "region", Measure::none, [](const Row& r) { return text(r.region); }},
      ColumnOf<Row>{"as_of", "as of", Measure::none, [](const Row& r) { return text(r.as_of); }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  GRADSIM_TRY(rows, scenario::load_prices(data_folder()));
  return table_of(columns, std::span<const Row>(*rows));
}

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

Result<Table> stacks() {
  using Row = NamedStack;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"device", "device", Measure::none, [](const Row& r) { return text(r.row.device); }},
      ColumnOf<Row>{"precision", "precision", Measure::none,
                    [](const Row& r) { return text(settings::name_of(r.row.precision)); }},
      ColumnOf<Row>{"efficiency", "share of the peak", Measure::none,
                    [](const Row& r) { return text(efficiency_of(r.row)); }},
      ColumnOf<Row>{"within", "published runs within", Measure::share,
                    [](const Row& r) -> Cell { return r.row.within; }},
      ColumnOf<Row>{"source", "source", Measure::none, [](const Row& r) { return text(r.source); }},
  };
  std::vector<Row> rows;
  for (const std::string& name : language::names_in(data_folder() / "stacks")) {
    GRADSIM_TRY(stack, inputs::read_stack(named(name), data_folder()));
    for (const inputs::StackDeviceKeys& row : stack->devices) rows.push_back({name, row, stack->provenance});
  }
  return table_of(columns, std::span<const Row>(rows));
}

/// Names with one sentence each.
struct NamedLine {
  std::string name;
  std::string summary;
};

Table lines(const std::vector<NamedLine>& rows) {
  static constexpr std::array columns{
      ColumnOf<NamedLine>{"name", "name", Measure::none, [](const NamedLine& r) { return text(r.name); }},
      ColumnOf<NamedLine>{"summary", "summary", Measure::none,
                          [](const NamedLine& r) { return text(r.summary); }},
  };
  return table_of(columns, std::span<const NamedLine>(rows));
}

/// The sentence on line 1 of each file.
Result<Table> clusters() {
  const auto folder = data_folder() / "clusters";
  std::vector<NamedLine> rows;
  for (const std::string& name : language::names_in(folder)) {
    GRADSIM_TRY(document, language::read_document(folder / (name + ".yaml")));
    rows.push_back({name, document->question});
  }
  return lines(rows);
}

template <class Row>
Result<Table> named_rows(std::span<const Row> rows) {
  std::vector<NamedLine> named;
  for (const Row& row : rows) named.push_back({std::string(row.name), std::string(row.summary)});
  return lines(named);
}

Result<Table> learners() { return named_rows(::learning::learners::learners()); }
Result<Table> models() { return named_rows(::learning::models::catalogue()); }

Result<Table> datasets() {
  using Row = ::learning::datasets::DatasetRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"summary", "summary", Measure::none, [](const Row& r) { return text(r.summary); }},
      ColumnOf<Row>{"made_by", "made by", Measure::none, [](const Row& r) { return text(r.source); }},
      ColumnOf<Row>{"licence", "licence", Measure::none, [](const Row& r) { return text(r.licence); }},
      ColumnOf<Row>{"get", "files", Measure::none, [](const Row& r) { return text(r.get); }},
  };
  return table_of(columns, ::learning::datasets::catalogue());
}

Result<Table> metrics() {
  using Row = report::Metric;
  static constexpr std::array columns{
      ColumnOf<Row>{"name", "name", Measure::none, [](const Row& r) { return text(r.name); }},
      ColumnOf<Row>{"key", "key in CSV and JSON", Measure::none, [](const Row& r) { return text(r.key); }},
      ColumnOf<Row>{"doc", "meaning", Measure::none, [](const Row& r) { return text(r.doc); }},
  };
  std::vector<Row> rows;
  for (const Row& row : report::metrics()) {
    if (!row.name.empty()) rows.push_back(row);
  }
  return table_of(columns, std::span<const Row>(rows));
}

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

Result<Table> support() {
  using Row = scenario::SupportRow;
  static constexpr std::array columns{
      ColumnOf<Row>{"setting", "setting", Measure::none, [](const Row& r) { return text(r.setting); }},
      ColumnOf<Row>{"needs", "needs", Measure::none, [](const Row& r) { return text(joined(r.needs)); }},
      ColumnOf<Row>{"excludes", "cannot be combined with", Measure::none,
                    [](const Row& r) { return text(joined(r.excludes)); }},
  };
  const std::vector<Row> rows = scenario::support_rows();
  return table_of(columns, std::span<const Row>(rows));
}

struct List {
  std::string_view name;
  Result<Table> (*make)();
};

constexpr std::array lists{
    List{"collectives", collectives}, List{"executions", executions}, List{"compressors", compressors},
    List{"policies", policies},       List{"learners", learners},     List{"models", models},
    List{"workloads", workloads},     List{"clusters", clusters},     List{"devices", devices},
    List{"stacks", stacks},           List{"transports", transports}, List{"datasets", datasets},
    List{"prices", prices},           List{"metrics", metrics},       List{"support", support}};

std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const List& list : lists) names.emplace_back(list.name);
  return names;
}

struct ListOptions {
  std::string what;
  std::string format;
};

int print_list(const List& list, const std::string& format) {
  const auto table = list.make();
  if (!table) {
    std::cerr << table.error().text() << "\n";
    return exit_refused;
  }
  std::cout << command_line::print(format, command_line::table_document(*table, std::string(list.name)));
  return exit_done;
}

/// Without a name: the lists and their contents.
int print_overview() {
  for (const List& list : lists) {
    const auto table = list.make();
    std::cout << (list.name == lists.front().name ? "" : "\n") << list.name << "\n";
    for (const auto& row : table ? table->rows : Table{}.rows) {
      const std::string* name = std::get_if<std::string>(&row[list.name == "policies" ? 1 : 0]);
      std::cout << "  " << (name == nullptr ? "" : *name) << "\n";
    }
  }
  return exit_done;
}

}  // namespace

void add_list(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "list", "lists what a scenario may name: " + fmt::format("{}", fmt::join(list_names(), ", ")));
  const auto options = std::make_shared<ListOptions>();
  command->add_option("WHAT", options->what, "one of the lists; without it, the names of all")
      ->type_name("")
      ->check(CLI::IsMember(list_names()));
  command_line::add_format(*command, options->format, command_line::all_forms);
  command->footer("Examples:\n  sim list collectives\n  sim list workloads --format csv");
  command->callback([options, &exit_code] {
    const auto list = std::ranges::find(lists, options->what, &List::name);
    exit_code = list == lists.end() ? print_overview() : print_list(*list, options->format);
  });
}

}  // namespace sim
