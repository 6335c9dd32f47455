// `sim sweep`: axes from the command line, points into the file, the table to stdout.
#include "sim/command_sweep.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "netmodels/unit.hpp"
#include "sim/data_folder.hpp"
#include "sim/exit_code.hpp"
#include "sim/interruption.hpp"
#include "sim/progress.hpp"
#include "sim/scenario_options.hpp"
#include "sim/study/sweep.hpp"

namespace sim {
namespace {

using netmodels::Result;

struct SweepOptions {
  std::string file;
  std::vector<std::string> axes;
  std::string design = "grid";
  std::optional<std::size_t> points;
  std::uint64_t design_seed = 1;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string database;
  bool resume = false;
  std::optional<std::string> timeout;
  std::string export_format;
  bool quiet = false;
  ScenarioOptions scenario;
};

study::SweepDesign design_of(const std::string& name) {
  if (name == "latin_hypercube") return study::SweepDesign::latin_hypercube;
  return name == "grid" ? study::SweepDesign::grid : study::SweepDesign::one_at_a_time;
}

Result<study::SweepRequest> read_request(const SweepOptions& options) {
  study::SweepRequest request{options.file, options.scenario.settings(), {}, data_folder(), GRADSIM_VERSION};
  request.plan.design = design_of(options.design);
  request.plan.points = options.points;
  request.plan.seed = options.design_seed;
  for (const std::string& text : options.axes) {
    auto axis = study::parse_axis(text);
    if (!axis) return tl::unexpected(axis.error());
    request.plan.axes.push_back(std::move(*axis));
  }
  return request;
}

Result<study::SweepEffort> read_effort(const SweepOptions& options, Progress& progress) {
  study::SweepEffort effort;
  effort.jobs = std::max<std::size_t>(1, options.jobs);
  effort.stop = &catch_interruptions();
  if (options.timeout) {
    const auto timeout = netmodels::parse<netmodels::Seconds>(*options.timeout);
    if (!timeout) return netmodels::refuse("--timeout", timeout.error().what, timeout.error().mend);
    effort.timeout = *timeout;
  }
  effort.said = [&progress](const study::SweptPoint& point, std::size_t done, std::size_t all) {
    if (point.failure) progress.say(fmt::format("point {}: {}", point.number, *point.failure));
    progress.show(static_cast<double>(done) / static_cast<double>(all));
  };
  return effort;
}

/// A file that is there is only printed where no axis is given.
Result<int> print_file(const SweepOptions& options) {
  const auto store = study::SweepStore::open(options.database);
  if (!store) return tl::unexpected(store.error());
  std::cout << store->export_csv() << std::flush;
  return exit_done;
}

Result<int> sweep(const SweepOptions& options, Progress& progress) {
  auto request = read_request(options);
  if (!request) return tl::unexpected(request.error());
  auto effort = read_effort(options, progress);
  if (!effort) return tl::unexpected(effort.error());
  const auto identity = study::identify(*request);
  if (!identity) return tl::unexpected(identity.error());
  const std::string file = options.database.empty() ? ":memory:" : options.database;
  auto store = study::SweepStore::open(file, *identity, options.resume);
  if (!store) return tl::unexpected(store.error());
  progress.begin_file(options.file, 1);
  progress.begin_arm("sweep");
  const auto outcome = study::sweep(*request, *effort, *store);
  progress.clear();
  if (!outcome) return tl::unexpected(outcome.error());
  const std::size_t left = outcome->points - outcome->known - outcome->played;
  if (!options.quiet) {
    std::cerr << fmt::format("{} points: {} played now, {} known before, {} failed, {} left\n",
                             outcome->points, outcome->played - outcome->failed, outcome->known,
                             outcome->failed, left);
  }
  if (left == 0 && (options.export_format == "csv" || options.database.empty()))
    std::cout << store->export_csv() << std::flush;
  if (const auto signal = interrupted()) return *signal;
  return outcome->failed == 0 ? exit_done : exit_refused;
}

int run(const SweepOptions& options) {
  Progress progress(options.quiet);
  const bool prints = options.axes.empty() && options.file.empty() && !options.database.empty();
  const auto done = prints ? print_file(options) : sweep(options, progress);
  if (done) return *done;
  progress.clear();
  std::cerr << done.error().text() << "\n";
  return exit_refused;
}

void add_points(CLI::App& command, SweepOptions& options) {
  command
      .add_option(
          "--axis", options.axes,
          "a key and its values: KEY=V1,V2,... or ranges: 1..5, 1..25 Gbit/s log 8, 0.1..0.5 linear 5")
      ->type_name("KEY=VALUES")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--design", options.design,
                  "grid (every combination), latin_hypercube (--points of them), one_at_a_time (from the "
                  "first values)")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"grid", "latin_hypercube", "one_at_a_time"}));
  command.add_option("--points", options.points, "of a Latin hypercube")->type_name("N");
  command.add_option("--design-seed", options.design_seed, "of a Latin hypercube")
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_sweep(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("sweep", "plays a scenario at many points, into a file that survives");
  const auto options = std::make_shared<SweepOptions>();
  command->add_option("FILE", options->file, "the scenario; each point plays all its arms")->type_name("");
  add_points(*command, *options);
  command->add_option("--jobs", options->jobs, "processes at a time; default: all cores")->type_name("N");
  command
      ->add_option("--db", options->database,
                   "SQLite file of the results; without it, they are printed as CSV and not kept")
      ->type_name("FILE");
  command->add_flag("--resume", options->resume,
                    "goes on with a file that is there; failed points are tried again");
  command->add_option("--timeout", options->timeout, "of one point, after which it counts as failed")
      ->type_name("TIME");
  command->add_option("--export", options->export_format, "prints the finished table to stdout: csv")
      ->type_name("NAME")
      ->check(CLI::IsMember({"csv"}));
  command->add_flag("--quiet", options->quiet, "no progress on stderr");
  options->scenario.add_to(*command);
  command->footer(
      "Killed at any moment, a sweep loses only the points that were being played: the same command with "
      "--resume\n"
      "plays the rest. Exit code 1 where points failed.\n"
      "Examples:\n"
      "  sim sweep scenarios/quickstart.yaml --axis cluster.workers=4,8,16 --axis seed=1..5 --db sweep.db\n"
      "  sim sweep scenarios/quickstart.yaml --axis 'cluster.link.bandwidth=1..25 Gbit/s log 8' > table.csv\n"
      "  sim sweep --db sweep.db --export csv");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sim
