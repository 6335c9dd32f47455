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
  const bool table = options.format == "workload";
  if (!table || fs::path(options.output).extension() == ".yaml") return {};
  return refuse("-o", fmt::format("`{}` does not end in .yaml", options.output),
                "a workload is a file NAME.yaml, with NAME_layers.csv and NAME_times.csv beside it");
}

Result<TracedWorkload> import_kineto_file(const ImportTraceOptions& options,
                                          const imports::TraceHints& hints) {
  if (options.files.size() != 1)
    return refuse("FILE", fmt::format("{} traces", options.files.size()), "give the trace of one rank");
  const std::string& file = options.files.front();
  Result<TracedWorkload> workload;
  const auto read = files::read_stream(file, [&](std::istream& stream) -> Result<void> {
    workload = imports::import_kineto(stream, file, hints);
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return workload;
}

Result<TracedWorkload> import_chakra_files(const ImportTraceOptions& options,
                                           const imports::TraceHints& hints) {
  std::vector<imports::ChakraTrace> traces;
  for (const std::string& file : options.files) {
    const auto read = files::read_stream(file, [&](std::istream& stream) -> Result<void> {
      GRADSIM_TRY(trace, imports::read_chakra(stream, file));
      traces.push_back(std::move(*trace));
      return {};
    });
    if (!read) return tl::unexpected(read.error());
  }
  return imports::import_chakra(traces, hints);
}

Result<TracedWorkload> import_trace(const ImportTraceOptions& options) {
  if (const auto checked = check_output(options); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(batch, read_count("--batch", options.batch, {.most = 1'000'000'000}));
  const imports::TraceHints hints{*batch};
  return options.tool == "kineto" ? import_kineto_file(options, hints) : import_chakra_files(options, hints);
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

}  // namespace

int run_import_trace(const ImportTraceOptions& options, std::ostream& out, std::ostream& log) {
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
