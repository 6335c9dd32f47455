// `calibrate import kineto` and `calibrate import chakra`: traces of trainings become workloads.
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "files/byte_stream.hpp"
#include "files/output_file.hpp"
#include "files/output_files.hpp"

namespace calibrate {
namespace {

namespace fs = std::filesystem;
using imports::TracedWorkload;
using netmodels::refuse;
using netmodels::Result;

Result<void> check_output(const ImportTraceOptions& options) {
  if (options.format == "smpi-ti" || fs::path(options.output).extension() == ".yaml") return {};
  return refuse(
      "-o", fmt::format("`{}` does not end in .yaml", options.output),
      fmt::format("a workload is a file NAME.yaml, with {} beside it",
                  options.format == "graph" ? "NAME_graph.csv" : "NAME_layers.csv and NAME_times.csv"));
}

/// @param import_file  one of the imports of a Kineto trace
template <class Imported>
Result<Imported> import_kineto_file(const ImportTraceOptions& options, const imports::TraceHints& hints,
                                    Result<Imported> (*import_file)(std::istream&, const std::string&,
                                                                    const imports::TraceHints&)) {
  if (options.files.size() != 1)
    return refuse("FILE", fmt::format("{} traces", options.files.size()), "give the trace of one rank");
  const std::string& file = options.files.front();
  Result<Imported> imported;
  const auto read = files::read_stream(file, [&](std::istream& stream) -> Result<void> {
    imported = import_file(stream, file, hints);
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return imported;
}

Result<std::vector<imports::ChakraTrace>> read_chakra_files(const ImportTraceOptions& options) {
  std::vector<imports::ChakraTrace> traces;
  for (const std::string& file : options.files) {
    const auto read = files::read_stream(file, [&](std::istream& stream) -> Result<void> {
      GRADSIM_TRY(trace, imports::read_chakra(stream, file));
      traces.push_back(std::move(*trace));
      return {};
    });
    if (!read) return tl::unexpected(read.error());
  }
  return traces;
}

Result<imports::TraceHints> read_hints(const ImportTraceOptions& options) {
  if (const auto checked = check_output(options); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(batch, read_count("--batch", options.batch, {.most = 1'000'000'000}));
  GRADSIM_TRY(ranks, read_count("--ranks", options.ranks, {.most = 100'000}));
  return imports::TraceHints{*batch, *ranks};
}

Result<TracedWorkload> import_trace(const ImportTraceOptions& options) {
  GRADSIM_TRY(hints, read_hints(options));
  if (options.tool == "kineto") return import_kineto_file(options, *hints, &imports::import_kineto);
  GRADSIM_TRY(traces, read_chakra_files(options));
  return imports::import_chakra(*traces, *hints);
}

Result<imports::TracedGraph> import_graph(const ImportTraceOptions& options) {
  GRADSIM_TRY(hints, read_hints(options));
  if (options.tool == "kineto") return import_kineto_file(options, *hints, &imports::graph_kineto);
  GRADSIM_TRY(traces, read_chakra_files(options));
  return imports::graph_chakra(*traces, *hints);
}

Result<void> write_workload(const ImportTraceOptions& options, const TracedWorkload& workload) {
  if (auto fits = files::check_output(options.output); !fits) return fits;
  const fs::path path(options.output);
  const std::string name = path.stem().string();
  const imports::WorkloadNames names{name, name + "_layers.csv", name + "_times.csv", options.source,
                                     options.licence};
  const imports::WorkloadFiles texts = imports::print_workload(workload, names);
  const std::array<files::FileText, 3> written{{{path.parent_path() / names.layers_file, texts.layers},
                                                {path.parent_path() / names.times_file, texts.times},
                                                {path, texts.workload}}};
  files::write_files(written);
  return {};
}

Result<void> write_graph(const ImportTraceOptions& options, const imports::TracedGraph& graph) {
  if (auto fits = files::check_output(options.output); !fits) return fits;
  const fs::path path(options.output);
  const std::string name = path.stem().string();
  const std::string file = name + "_graph.csv";
  const imports::GraphFiles texts =
      imports::print_graph(graph, {name, {}, {}, options.source, options.licence}, file);
  const std::array<files::FileText, 2> written{
      {{path.parent_path() / file, texts.graph}, {path, texts.workload}}};
  files::write_files(written);
  return {};
}

Result<void> write_smpi_trace(const ImportTraceOptions& options, const TracedWorkload& workload,
                              std::ostream& out) {
  GRADSIM_TRY(ranks, read_count("--ranks", options.ranks, {.most = 100'000}));
  return files::write_output(options.output,
                             imports::print_smpi_trace(workload, ranks->value_or(workload.ranks)), out);
}

void tell(const TracedWorkload& workload, std::ostream& log) {
  for (const std::string& fact : workload.facts) log << fact << "\n";
  for (const std::string& skipped : workload.skipped) log << "note: " << skipped << "\n";
  if (!workload.batch)
    log << "note: the trace does not state its batch: 1 sample represents all of a step; --batch states "
           "it\n";
  if (!workload.buffers)
    log << "note: the trace has no broadcast of buffers: they are unknown; `buffers` of the workload states "
           "them\n";
  if (const std::string from = imports::crossover_text(workload); !from.empty()) log << from << "\n";
  log << fmt::format("{}, {}, step {}\n", imports::counted(std::ssize(workload.layers), "layer"),
                     imports::counted(std::ssize(workload.buckets), "bucket"),
                     netmodels::print(workload.step(), 4));
}

void tell(const imports::TracedGraph& graph, std::ostream& log) {
  for (const std::string& fact : graph.facts) log << fact << "\n";
  for (const std::string& skipped : graph.skipped) log << "note: " << skipped << "\n";
  if (!graph.batch)
    log << "note: the trace does not state its batch: 1 sample represents all of a step; --batch states "
           "it\n";
  const std::string operations = imports::counted(std::ssize(graph.step.operations), "operation");
  if (graph.step.is_predicted())
    log << operations << "; times follow from the scenario's device\n";
  else
    log << fmt::format("{}, step {} when exchanges take no time\n", operations,
                       netmodels::print(netmodels::undisturbed(graph.step), 4));
}

int run_import_graph(const ImportTraceOptions& options, std::ostream& log) {
  const auto graph = import_graph(options);
  const auto written = graph ? write_graph(options, *graph) : tl::unexpected(graph.error());
  if (!written) {
    log << written.error().text() << "\n";
    return exit_refused;
  }
  if (!options.quiet) tell(*graph, log);
  return exit_done;
}

}  // namespace

int run_import_trace(const ImportTraceOptions& options, std::ostream& out, std::ostream& log) {
  if (options.format == "graph") return run_import_graph(options, log);
  const auto workload = import_trace(options);
  Result<void> written;
  if (!workload)
    written = tl::unexpected(workload.error());
  else
    written = options.format == "workload" ? write_workload(options, *workload)
                                           : write_smpi_trace(options, *workload, out);
  if (!written) {
    log << written.error().text() << "\n";
    return exit_refused;
  }
  if (!options.quiet) tell(*workload, log);
  return exit_done;
}

}  // namespace calibrate
