// `calibrate probe mpi`: plan, measure, write one file per exchange.
#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "calibrate/probes/mpi_probe.hpp"
#include "calibrate/probes/sizes.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<probes::MpiPlan> read_plan(const ProbeMpiOptions& options) {
  probes::MpiPlan plan;
  GRADSIM_TRY(exchanges, probes::read_exchanges(options.collectives));
  GRADSIM_TRY(sizes, probes::read_sizes(options.sizes));
  const auto most_time = netmodels::parse<netmodels::Seconds>(options.most_time);
  if (!most_time) return refuse("--most-time", most_time.error().what, most_time.error().hint);
  plan = {*exchanges, *sizes, options.repetitions, options.ratio, *most_time};
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  return plan;
}

/// The settings of this process that pin an algorithm: Open MPI's and MPICH's own variables.
std::optional<std::string> pinned_by_environment() {
  constexpr std::array<std::string_view, 2> beginnings = {"OMPI_MCA_coll_", "MPIR_CVAR_"};
  std::string found;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    for (const std::string_view beginning : beginnings) {
      const std::string_view text = *variable;
      if (!text.starts_with(beginning)) continue;
      found += (found.empty() ? "" : " ") + std::string(text);
    }
  }
  return found.empty() ? std::nullopt : std::optional(found);
}

measurements::Facts facts_of(const ProbeMpiOptions& options, const probes::MpiMeasured& measured) {
  measurements::Facts facts;
  facts.machine =
      fmt::format("none; {} x {}, {}", measured.host.cores, measured.host.processor, measured.host.kernel);
  facts.network = options.network;
  facts.tool = fmt::format("gradsim calibrate {} probe mpi; {}", options.version, measured.library);
  facts.algorithm = options.algorithm ? options.algorithm : pinned_by_environment();
  facts.licence = "facts: measured figures, free to use";
  facts.notes.push_back(fmt::format("measured {:%Y-%m-%d}; hosts {}", fmt::gmtime(std::time(nullptr)),
                                    fmt::join(measured.hosts, " ")));
  facts.notes.push_back(fmt::format("median of the repetitions, each {}", measured.clock));
  return facts;
}

std::string print_exchange(const ProbeMpiOptions& options, const probes::MpiMeasured& measured,
                           const probes::SampledExchange& exchange) {
  measurements::Measurements table;
  table.operation = exchange.operation;
  table.ranks = measured.ranks;
  table.nodes = static_cast<int>(measured.hosts.size());
  table.facts = facts_of(options, measured);
  for (const probes::MpiRow& row : probes::mpi_rows()) {
    if (row.name != exchange.operation->name) continue;
    table.facts.notes.push_back(
        row.compresses ? fmt::format("{}; compression ratio {}; the size is the dense gradient's",
                                     row.summary, options.ratio)
                       : std::string(row.summary));
  }
  table.points = probes::median_points(exchange);
  return measurements::print_csv(table);
}

Result<void> write(const ProbeMpiOptions& options, const probes::MpiMeasured& measured) {
  const std::filesystem::path folder = options.output;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return refuse(options.output, "cannot create this folder: " + failed.message(), "name another");
  std::ostringstream unused;
  for (const probes::SampledExchange& exchange : measured.exchanges) {
    const std::string file = (folder / (std::string(exchange.operation->name) + ".csv")).string();
    auto written = files::write_output(file, print_exchange(options, measured, exchange), unused);
    if (!written) return written;
  }
  return files::write_output((folder / "samples.csv").string(),
                             probes::print_samples(measured.exchanges, measured.ranks), unused);
}

/// Runs on every rank; only rank 0 writes and prints.
Result<void> probe(const ProbeMpiOptions& options, const probes::MpiSession& session, std::ostream& log) {
  GRADSIM_TRY(plan, read_plan(options));
  const auto measured = run_mpi_probe(session, *plan, [&](const std::string& title) {
    if (!options.quiet) log << title << std::endl;
  });
  if (!measured) return tl::unexpected(measured.error());
  if (session.rank() != 0) return {};
  for (const std::string& skipped : measured->skipped) log << skipped << "\n";
  if (measured->exchanges.empty()) {
    return refuse("--most-time", "nothing could be measured in the given time", "give more, or fewer sizes");
  }
  return write(options, *measured);
}

}  // namespace

int run_probe_mpi(const ProbeMpiOptions& options, std::ostream& log) {
  auto session = probes::MpiSession::open();
  if (!session) {
    log << session.error().text() << "\n";
    return exit_refused;
  }
  try {
    const auto probed = probe(options, *session, log);
    if (probed) return exit_done;
    if (session->rank() == 0) log << probed.error().text() << "\n";
    return exit_refused;
  } catch (const probes::FailureOfAllRanks& error) {
    if (session->rank() == 0) log << "calibrate: " << error.what() << "\n";
    return exit_broken;
  } catch (const std::exception& error) {  // only of this rank: the others may wait for it in a collective
    log << fmt::format("calibrate: rank {}: {}\n", session->rank(), error.what()) << std::flush;
    session->end_all_ranks(exit_broken);
  }
}

}  // namespace calibrate
