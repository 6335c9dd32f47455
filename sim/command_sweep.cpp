// `sim sweep`: a scenario at many points, each in its own process, into an SQLite file.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/error_output.hpp"
#include "command_line/interruption.hpp"
#include "command_line/output_format.hpp"
#include "netmodels/unit.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/progress.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"
#include "sim/sweep/sweep.hpp"

namespace sim {

namespace {

/// How many processes the launcher started, as its environment variables say: Open MPI's, PMI's, or Slurm's
/// of a job step; 1 where there is none.
std::size_t launched_processes() {
  std::size_t most = 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text != nullptr) most = std::max<std::size_t>(most, std::strtoul(text, nullptr, 10));
  }
  return most;
}

namespace processes = sweep;
namespace sweeps = sweep;
using netmodels::Result;

struct SweepOptions {
  std::string file;
  std::vector<std::string> axes;
  std::string design = "grid";
  std::optional<std::size_t> points;
  std::uint64_t design_seed = 1;
  std::optional<std::size_t> jobs;
  std::string database;
  bool resume = false;
  bool steps = false;
  bool check = false;
  std::optional<std::string> timeout;
  std::string lost_after = "30 s";
  std::string export_format;
  bool quiet = false;
  ScenarioOptions scenario;
};

/// Formats that print rows: all that a sweep has.
std::vector<std::string> row_formats() {
  constexpr std::array rows{command_line::Form::rows};
  return command_line::format_names(rows);
}

sweep::SweepDesign design_of(const std::string& name) {
  if (name == "latin_hypercube") return sweep::SweepDesign::latin_hypercube;
  return name == "grid" ? sweep::SweepDesign::grid : sweep::SweepDesign::one_at_a_time;
}

Result<sweep::SweepRequest> read_request(const SweepOptions& options) {
  sweep::SweepRequest request{options.file, options.scenario.settings(), {}, data_folder(), GRADSIM_VERSION,
                              options.steps};
  request.plan.design = design_of(options.design);
  request.plan.points = options.points;
  request.plan.seed = options.design_seed;
  for (const std::string& text : options.axes) {
    GRADSIM_TRY(axis, sweep::parse_axis(text));
    request.plan.axes.push_back(std::move(*axis));
  }
  return request;
}

Result<sweep::SweepEffort> read_effort(const SweepOptions& options, Progress& progress) {
  sweep::SweepEffort effort;
  effort.jobs = std::max<std::size_t>(1, options.jobs.value_or(std::thread::hardware_concurrency()));
  effort.stop = &command_line::catch_interruptions();
  if (options.timeout) {
    const auto timeout = netmodels::parse<netmodels::Seconds>(*options.timeout);
    if (!timeout) return netmodels::refuse("--timeout", timeout.error().what, timeout.error().hint);
    if (*timeout <= netmodels::Seconds{})
      return netmodels::refuse("--timeout", "`" + *options.timeout + "` ends every point before it begins",
                               "accepted: above 0 s");
    effort.timeout = *timeout;
  }
  const bool draws = can_draw_on_stderr();
  effort.said = [&progress, draws](const sweep::SweptPoint& point, std::size_t done, std::size_t all) {
    constexpr std::size_t lines = 10;  // lines of progress where nothing can be drawn
    if (point.failure) {               // an error, also where progress is not asked for
      progress.clear();
      std::cerr << fmt::format("point {}: {}\n", point.number, *point.failure);
    }
    if (!draws && done * lines / all > (done - 1) * lines / all)
      progress.say(fmt::format("{} of {} points", done, all));
    progress.show(static_cast<double>(done) / static_cast<double>(all));
  };
  return effort;
}

/// The finished table, to stdout.
void print_points(const sweep::SweepStore& store, const SweepOptions& options) {
  const std::string format = options.export_format.empty() ? row_formats().front() : options.export_format;
  std::cout << command_line::print(format, {.rows = [&store] { return store.table(); }}) << std::flush;
}

/// Whether an existing file is sound and complete: for scripts that wait for a sweep.
Result<int> check_file(const sweep::SweepStore& store, std::size_t there, const SweepOptions& options) {
  if (!store.is_sound())
    return netmodels::refuse("--db", "`" + options.database + "` is damaged",
                             "sweep anew, into another file");
  if (there == store.planned()) return exit_done;
  return netmodels::refuse("--db",
                           fmt::format("`{}` has {} of {} points", options.database, there, store.planned()),
                           "continue the sweep by --resume");
}

/// An existing file is only printed where no axis is given.
Result<int> print_file(const SweepOptions& options) {
  GRADSIM_TRY(store, sweep::SweepStore::open(options.database));
  const std::size_t there = store->done().size();
  if (there < store->planned() && !options.quiet && !options.check)
    std::cerr << fmt::format("{} of {} points were simulated; continue the sweep by --resume\n", there,
                             store->planned());
  if (options.check) return check_file(*store, there, options);
  print_points(*store, options);
  return exit_done;
}

/// The requested sweep.
struct Asked {
  sweep::SweepRequest request;
  sweep::SweepEffort effort;
};

/// Options that mean nothing without another.
std::optional<netmodels::Error> without_effect(const SweepOptions& options) {
  const std::string hint = "name a file by --db";
  if (options.database.empty() && options.resume)
    return netmodels::Error{"--resume", "no file to resume", hint};
  if (options.check && (options.database.empty() || !options.file.empty()))
    return netmodels::Error{"--check", "checks the file of a sweep that has ended or was cut off",
                            "give it --db alone: sim sweep --db FILE --check"};
  if (options.database.empty() && options.steps)
    return netmodels::Error{"--steps", "steps are kept in a file, and no file is given", hint};
  return std::nullopt;
}

Result<Asked> read(const SweepOptions& options, Progress& progress) {
  if (auto error = without_effect(options)) return tl::unexpected(*error);
  GRADSIM_TRY(request, read_request(options));
  GRADSIM_TRY(effort, read_effort(options, progress));
  return Asked{std::move(*request), std::move(*effort)};
}

void say_end(const sweep::SweepOutcome& outcome, const sweep::Ranks* ranks) {
  std::cerr << fmt::format("{} points: {} simulated now, {} known before, {} failed, {} left\n",
                           outcome.points, outcome.simulated - outcome.failed, outcome.known, outcome.failed,
                           outcome.points - outcome.known - outcome.simulated);
  if (ranks != nullptr && !ranks->lost().empty())
    std::cerr << fmt::format("lost ranks: {}; their points were given to other ranks\n",
                             fmt::join(ranks->lost(), ", "));
}

Result<int> run_sweep(const SweepOptions& options, Progress& progress, sweep::Ranks* ranks) {
  GRADSIM_TRY(asked, read(options, progress));
  asked->effort.ranks = ranks;
  std::vector<std::string> warnings;
  GRADSIM_TRY(identity, sweep::identify(asked->request, &warnings));
  const std::string file = options.database.empty() ? ":memory:" : options.database;
  GRADSIM_TRY(store, sweep::SweepStore::open(file, *identity, options.resume));
  if (scenario::plan_kind(options.file, data_folder()).advice)
    progress.say(scenario::advice_is_unread(options.file));
  for (const std::string& warning : warnings) progress.warn(warning);
  progress.begin_file(options.file, 1);
  progress.begin_arm("all points");
  const auto outcome = sweep::sweep(asked->request, asked->effort, *store);
  if (ranks != nullptr) ranks->dismiss();
  progress.clear();
  if (!outcome) return tl::unexpected(outcome.error());
  if (!options.quiet) say_end(*outcome, ranks);
  const bool whole = outcome->points == outcome->known + outcome->simulated;
  if (whole && (!options.export_format.empty() || options.database.empty())) print_points(*store, options);
  if (const auto signal = command_line::interrupted()) return *signal;
  return outcome->failed == 0 ? exit_done : exit_refused;
}

/// The work of every rank but 0. Only rank 0 reports an error in the command line.
int serve(const SweepOptions& options, sweep::Ranks& ranks) {
  Progress silent(true);
  const auto asked = read(options, silent);
  if (asked && !options.jobs) (void)sweep::serve_sweep(asked->request, asked->effort.timeout, ranks);
  const auto lost = ranks.lost();
  if (std::ranges::find(lost, 0U) == lost.end()) return exit_done;
  std::cerr << "sim sweep: rank 0, which writes the file, is lost; continue the sweep by --resume\n";
  return exit_broken;
}

Result<int> sweep_on_ranks(const SweepOptions& options, Progress& progress) {
  const auto lost_after = netmodels::parse<netmodels::Seconds>(options.lost_after);
  sweep::Ranks ranks(std::max(lost_after.value_or(netmodels::Seconds{30}), sweep::Ranks::least_silence()));
  if (!ranks.leads()) return serve(options, ranks);
  if (!lost_after) return netmodels::refuse("--lost-after", lost_after.error().what, lost_after.error().hint);
  if (*lost_after < sweep::Ranks::least_silence()) {
    return netmodels::refuse(
        "--lost-after", "`" + options.lost_after + "` is too short: ranks send a heartbeat once a second",
        "accepted: at least " + netmodels::print(sweep::Ranks::least_silence()));
  }
  if (ranks.count() == 1) {
    return netmodels::refuse(
        "sweep", "the launcher started several processes, but MPI sees only one",
        "under Slurm, start it by `srun --mpi=pmix` (`srun --mpi=list` shows what there is)");
  }
  if (options.jobs) {
    return netmodels::refuse("--jobs", "applies to one machine, but a launcher started several processes",
                             "each rank but 0 simulates one point at a time; start as many ranks as there "
                             "are cores");
  }
  return run_sweep(options, progress, &ranks);
}

int run(const SweepOptions& options) {
  Progress progress(options.quiet);
  const bool prints = options.axes.empty() && options.file.empty() && !options.database.empty();
  const auto done = prints                     ? print_file(options)
                    : launched_processes() > 1 ? sweep_on_ranks(options, progress)
                                               : run_sweep(options, progress, nullptr);
  if (done) return *done;
  progress.clear();
  command_line::print_error(std::cerr, done.error());
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
      program.add_subcommand("sweep", "runs a scenario at many points; results are crash-safe");
  const auto options = std::make_shared<SweepOptions>();
  command->add_option("FILE", options->file, "the scenario; each point runs all its arms")
      ->transform(named_scenario)
      ->type_name("");
  add_points(*command, *options);
  command
      ->add_option("--jobs", options->jobs,
                   "number of processes; default: all cores; not used under "
                   "mpirun")
      ->type_name("N");
  command
      ->add_option("--db", options->database,
                   "SQLite file of the results; without it, they are printed as CSV and not kept")
      ->type_name("FILE");
  command->add_flag("--resume", options->resume, "continues an existing file; failed points are tried again");
  command->add_flag("--check", options->check,
                    "with --db alone: exit code 0 where the file holds every point of its sweep, else 1");
  command->add_flag("--steps", options->steps, "also keeps each step, in the table `step` of the file");
  command
      ->add_option("--timeout", options->timeout,
                   "time limit of one point, after which it counts as "
                   "failed")
      ->type_name("TIME");
  command
      ->add_option("--lost-after", options->lost_after,
                   "under mpirun or srun: a rank that is silent for this long counts as lost")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--export", options->export_format,
                   "prints the finished table to stdout: " + command_line::one_of(row_formats()))
      ->type_name("NAME")
      ->check(CLI::IsMember(row_formats()));
  command->add_flag("--quiet", options->quiet, "no progress on stderr");
  options->scenario.add_to(*command);
  command->footer(
      "A sweep that is killed loses only the points that were running: the same command with --resume\n"
      "runs the rest. Exit code 1 where points failed. Under mpirun or srun the same command distributes "
      "the\n"
      "points over the ranks: rank 0 writes the file, each of the others simulates one point at a time.\n"
      "Examples:\n"
      "  sim sweep scenarios/quickstart.yaml --axis cluster.workers=4,8,16 --axis seed=1..5 --db sweep.db\n"
      "  sim sweep scenarios/quickstart.yaml --axis 'cluster.link.bandwidth=1..25 Gbit/s log 8' > table.csv\n"
      "  sim sweep --db sweep.db --export csv\n"
      "  mpirun -n 9 sim sweep scenarios/quickstart.yaml --axis seed=1..100 --db sweep.db");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sim
