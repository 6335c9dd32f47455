// Reads the request, simulates its points and prints them.
#include "sim/sweep_run.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "command_line/interruption.hpp"
#include "command_line/output_format.hpp"
#include "netmodels/unit.hpp"
#include "sim/exit_code.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario_files.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/sweep/sweep_merge.hpp"

namespace sim {

using netmodels::Result;

std::vector<std::string> row_formats() {
  constexpr std::array rows{command_line::Form::rows};
  return command_line::format_names(rows);
}

void print_points(const sweep::SweepStore& store, const SweepOptions& options) {
  const std::string format = options.export_format.empty() ? row_formats().front() : options.export_format;
  std::cout << command_line::print(format, {.rows = [&store] { return store.table(); }}) << std::flush;
}

namespace {

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

void say_end(const sweep::SweepOutcome& outcome) {
  std::cerr << fmt::format("{} points: {} simulated now, {} known before, {} failed, {} left\n",
                           outcome.points, outcome.simulated - outcome.failed, outcome.known, outcome.failed,
                           outcome.points - outcome.known - outcome.simulated);
}

/// Simulates the points of the sweep, or of a part, into its file.
Result<sweep::SweepOutcome> simulate_points(const Asked& asked, const SweepOptions& options,
                                            Progress& progress, sweep::SweepStore& store,
                                            const PartFile& part) {
  progress.begin_file(options.file, 1);
  progress.begin_arm(part.part.is_whole() ? "all points" : "part " + part.part.text());
  auto outcome = sweep::sweep(asked.request, asked.effort, store);
  progress.clear();
  if (!outcome) return outcome;
  const bool tried = outcome->points == outcome->known + outcome->simulated;
  if (tried && !part.part.is_whole()) store.note_end(part.launch);
  if (!options.quiet) say_end(*outcome);
  return outcome;
}

/// Points that the file of the whole sweep holds already.
Result<std::vector<std::size_t>> known_points_of(const PartFile& file, sweep::SweepIdentity identity) {
  if (!file.whole) return std::vector<std::size_t>{};
  identity.part = {};
  return sweep::points_in(*file.whole, identity);
}

}  // namespace

Result<int> print_sweep_file(const SweepOptions& options) {
  GRADSIM_TRY(store, sweep::SweepStore::open(options.database));
  const std::size_t there = store->done().size();
  if (there < store->planned() && !options.quiet && !options.check)
    std::cerr << fmt::format("{} of {} points were simulated; continue the sweep by --resume\n", there,
                             store->planned());
  if (options.check) return check_file(*store, there, options);
  print_points(*store, options);
  return exit_done;
}

Result<int> run_sweep(const SweepOptions& options, Progress& progress, const PartFile& part) {
  GRADSIM_TRY(asked, read(options, progress));
  asked->request.part = part.part;
  std::vector<std::string> warnings;
  GRADSIM_TRY(identity, sweep::identify(asked->request, &warnings));
  GRADSIM_TRY(known, known_points_of(part, *identity));
  asked->effort.known_elsewhere = std::move(*known);
  const std::string file = options.database.empty() ? ":memory:" : options.database;
  GRADSIM_TRY(store, sweep::SweepStore::open(file, *identity, options.resume));
  if (scenario::plan_kind(options.file, data_folder()).advice)
    progress.say(scenario::advice_is_unread(options.file));
  for (const std::string& warning : warnings) progress.warn(warning);
  GRADSIM_TRY(outcome, simulate_points(*asked, options, progress, *store, part));
  const bool whole = outcome->points == outcome->known + outcome->simulated;
  if (whole && (!options.export_format.empty() || options.database.empty())) print_points(*store, options);
  if (const auto signal = command_line::interrupted()) return *signal;
  return outcome->failed == 0 ? exit_done : exit_refused;
}

}  // namespace sim
