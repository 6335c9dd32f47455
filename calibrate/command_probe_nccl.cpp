// `calibrate probe nccl`: plan, measure, write one file per exchange.
#include <ctime>
#include <exception>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/nccl_plan.hpp"
#include "calibrate/probes/sizes.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// The file that was named, else the one below NCCL_HOME, else the name by which the system knows it.
std::string library_of(const ProbeNcclOptions& options) {
  const char* name = "libnccl.so.2";
  if (!options.library.empty()) return options.library;
  const char* home = options.variable ? options.variable("NCCL_HOME") : nullptr;
  for (const char* below : {"lib", "lib64"}) {
    if (home == nullptr) break;
    const std::filesystem::path file = std::filesystem::path(home) / below / name;
    std::error_code unreadable;
    if (std::filesystem::exists(file, unreadable)) return file.string();
  }
  return name;
}

Result<probes::NcclPlan> read_plan(const ProbeNcclOptions& options) {
  GRADSIM_TRY(sizes, probes::read_sizes(options.sizes));
  probes::NcclPlan plan;
  plan.library = library_of(options);
  plan.ranks = options.ranks;
  plan.operations = options.operations;
  plan.sizes = *sizes;
  plan.ratio = options.ratio;
  plan.calls = options.calls;
  plan.repetitions = options.repetitions;
  plan.algorithm = options.algorithm;
  plan.protocol = options.protocol;
  plan.case_limit = {options.limit_seconds};
  plan.stop = options.stop;
  plan.namespaces = options.namespaces;
  if (!plan.namespaces.empty() && !options.id.empty())
    return refuse("--namespaces", "ranks are threads of this process, and --id makes each process one rank",
                  "leave out one of both");
  if (!plan.namespaces.empty() && !options.ranks_stated)
    plan.ranks = static_cast<int>(plan.namespaces.size());
  if (options.id.empty()) return plan;
  GRADSIM_TRY(meeting, probes::read_meeting_place(options.id));
  GRADSIM_TRY(job, probes::read_job_rank(options.variable));
  if (!*job)
    return refuse("--id", "no variables of a launcher were found",
                  "start one process per rank by torchrun, mpirun or srun, or leave out --id");
  plan.meeting = *meeting;
  plan.job = **job;
  if (!options.ranks_stated) plan.ranks = plan.job->ranks;
  return plan;
}

measurements::Facts facts_of(const ProbeNcclOptions& options, const probes::NcclMeasured& measured) {
  const bool shared = measured.way == probes::NcclWay::private_copies;
  measurements::Facts facts;
  facts.machine = measured.device;
  facts.network = options.network;
  const bool linked = !options.namespaces.empty();
  if (!facts.network && shared)
    facts.network = linked ? "sockets between network namespaces" : "loopback TCP of one machine";
  facts.tool = fmt::format("gradsim calibrate {} probe nccl; NCCL {}; {}", options.version, measured.nccl,
                           measured.driver);
  facts.algorithm = options.algorithm;
  facts.protocol = options.protocol;
  facts.licence = "facts: measured figures, free to use";
  facts.notes.push_back(fmt::format("measured {:%Y-%m-%d}; {}{}", fmt::gmtime(std::time(nullptr)),
                                    probes::to_string(measured.way),
                                    linked ? "; one network namespace per rank" : ""));
  facts.notes.push_back(fmt::format("median of {} repetitions, each the slowest rank's mean of {} calls",
                                    options.repetitions, options.calls));
  for (const std::string& warning : measured.warnings) facts.notes.push_back(warning);
  for (const std::string& failure : measured.failures) facts.notes.push_back("failed: " + failure);
  return facts;
}

std::string print_exchange(const ProbeNcclOptions& options, const probes::NcclMeasured& measured,
                           const probes::NcclMeasured::Exchange& exchange) {
  measurements::Measurements table;
  table.operation = exchange.operation;
  table.ranks = measured.ranks;
  table.nodes = measured.nodes;
  table.facts = facts_of(options, measured);
  const bool sparse = exchange.operation->name.find("topk") != std::string_view::npos;
  if (sparse) {
    const std::string_view what = probes::compresses_on_device(exchange.operation->name)
                                      ? "compressed and restored on the device, without error feedback"
                                      : "messages alone, nothing is compressed or restored";
    table.facts.notes.push_back(
        fmt::format("compression ratio {}; the size is the dense gradient's; {}", options.ratio, what));
  }
  for (const probes::NcclSample& sample : exchange.samples)
    table.points.push_back({sample.size, sample.median()});
  return measurements::print_csv(table);
}

std::string print_samples(const probes::NcclMeasured& measured) {
  std::string text = "operation,size_bytes,repetition,time_us\n";
  for (const auto& exchange : measured.exchanges) {
    for (const probes::NcclSample& sample : exchange.samples) {
      for (std::size_t i = 0; i < sample.times.size(); ++i)
        text += fmt::format("{},{:.0f},{},{:.3f}\n", exchange.operation->name, sample.size.count, i,
                            sample.times[i].count * measurements::us_per_second);
    }
  }
  return text;
}

Result<void> write(const ProbeNcclOptions& options, const probes::NcclMeasured& measured) {
  if (measured.exchanges.empty() || measured.rank != 0) return {};  // stopped at once; another rank writes
  const std::filesystem::path folder = options.output;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return refuse(options.output, "cannot create this folder: " + failed.message(), "name another");
  std::ostringstream unused;
  for (const auto& exchange : measured.exchanges) {
    const std::string file = (folder / (std::string(exchange.operation->name) + ".csv")).string();
    auto written = files::write_output(file, print_exchange(options, measured, exchange), unused);
    if (!written) return written;
  }
  return files::write_output((folder / "samples.csv").string(), print_samples(measured), unused);
}

}  // namespace

int run_probe_nccl(const ProbeNcclOptions& options, std::ostream& log) {
  const auto plan = read_plan(options);
  if (!plan) {
    log << plan.error().text() << "\n";
    return exit_refused;
  }
  probes::NcclProgress progress;
  progress.said = [&](const std::string& next) {
    if (!options.quiet) log << next << std::endl;
  };
  progress.measured = [&](const probes::NcclMeasured& so_far) {
    if (const auto kept = write(options, so_far); !kept) throw std::runtime_error(kept.error().text());
  };
  const auto measured = probes::probe_nccl(*plan, progress);
  const auto written = measured ? write(options, *measured) : Result<void>(tl::unexpected(measured.error()));
  if (!written) {
    log << written.error().text() << "\n";
    return written.error().where.empty() ? exit_broken
                                         : exit_refused;  // no place: no device to blame the input for
  }
  for (const std::string& warning : measured->warnings) log << "warning: " << warning << "\n";
  for (const std::string& failure : measured->failures) log << "failed: " << failure << "\n";
  return measured->failures.empty() ? exit_done : exit_broken;
}

}  // namespace calibrate
