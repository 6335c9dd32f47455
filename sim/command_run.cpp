// `sim run`: runs scenarios and compares their arms.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command_line/error_output.hpp"
#include "command_line/interruption.hpp"
#include "command_line/known_words.hpp"
#include "command_line/output_format.hpp"
#include "learning/learners/record_file.hpp"
#include "sim/commands.hpp"
#include "sim/error_place.hpp"
#include "sim/exit_code.hpp"
#include "sim/page_file.hpp"
#include "sim/progress.hpp"
#include "sim/report/crossover_verdict.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/result_warnings.hpp"
#include "sim/report/run_folder.hpp"
#include "sim/report/run_page.hpp"
#include "sim/report/study_document.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"
#include "sim/sweep/samples.hpp"
#include "sim/sweep/seeds.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_threads = 1024;

struct RunOptions {
  std::vector<std::string> files;
  std::optional<std::string> out;
  std::string format;
  bool strict = false;
  bool quiet = false;
  bool details = false;
  std::optional<std::string> seeds;
  std::optional<std::string> samples;
  std::optional<std::string> timeline;
  std::optional<std::int64_t> threads;  ///< in [1, `most_threads`]
  ScenarioOptions scenario;

  /// Settings beside those of `scenario`.
  [[nodiscard]] std::vector<std::string> settings() const {
    std::vector<std::string> settings;
    if (seeds) settings.push_back("seeds=" + *seeds);
    if (samples) settings.push_back("uncertainty.samples=" + *samples);
    if (timeline) {
      settings.push_back("output.timeline=" + *timeline);
      if (*timeline == "full") settings.push_back("output.timeline_steps=1000000");
    }
    return settings;
  }
};

/// One file, read and simulated. It does not move, because its study points into its reading.
struct SimulatedFile {
  SimulatedFile(const std::string& file, scenario::Reading read)
      : reading(std::move(read)), study{file, &reading.study, {}} {}
  SimulatedFile(const SimulatedFile&) = delete;
  SimulatedFile& operator=(const SimulatedFile&) = delete;

  scenario::Reading reading;
  report::SimulatedStudy study;
  report::ExpectationReport expectations;
};

/// Runs file after file; an error in one does not stop the others.
class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        stop_(command_line::catch_interruptions()),
        shelf_(data_folder(), options.threads ? static_cast<std::size_t>(*options.threads) : jobs()),
        progress_(options.quiet),
        printer_(command_line::output_format(options.format), std::cout) {}

  int files() {
    if (!distinct_folders()) return exit_refused;
    int worst = exit_done;
    for (const std::string& file : options_.files) {
      if (command_line::interrupted()) break;
      const scenario::PlanKind asked = scenario::plan_kind(file, data_folder());
      const bool plans = asked.planning && !asked.scenario;
      if (asked.advice && !plans) progress_.say(scenario::advice_is_unread(file));
      worst = std::max(worst, plans ? advise(file) : run_file(file));
    }
    progress_.clear();
    printer_.finish();
    return command_line::interrupted().value_or(stepless_ ? std::max<int>(worst, exit_refused) : worst);
  }

 private:
  int run_file(const std::string& file) {
    auto measured = options_.scenario.read_measured(file, options_.settings(),
                                                    [this](const std::string& line) { progress_.say(line); });
    if (!measured) return refuse(measured.error());
    measured_ = std::move(measured->settings);
    scenario::Reading* reading = &measured->reading;
    if (!prints_text()) warn_of(reading->study.warnings);  // text has them below the answer
    if (const auto checked = check_study(file, *reading); !checked) {
      if (prints_text()) warn_of(reading->study.warnings);
      return refuse(checked.error());
    }
    std::optional<report::RunFolder> folder;
    if (options_.out) {
      auto opened = report::RunFolder::open(folder_of(file));
      if (!opened) return refuse(opened.error());
      folder.emplace(std::move(*opened));
    }
    auto simulated = std::make_unique<SimulatedFile>(file, std::move(*reading));
    if (const auto done = simulate(*simulated, folder); !done) return refuse(done.error());
    if (!prints_text()) warn_of(report::result_warnings(simulated->study));
    simulated->expectations = report::judge(simulated->study);
    if (const bool none = command_line::interrupted() && simulated->study.arms.empty(); folder && !none) {
      if (auto done = finish(*folder, *simulated); !done) return refuse(done.error());
    }
    progress_.clear();
    const int exit_code = strict(simulated->expectations);
    print(std::move(simulated));
    return exit_code;
  }

  void warn_of(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) progress_.warn(warning);
  }

  /// Before the first arm is simulated: a late error would cost all results.
  netmodels::Result<void> check_study(const std::string& file, const scenario::Reading& reading) {
    if (auto one = check_seeds(reading.study); !one) return of_file(file, one.error());
    if (auto one = check_uncertainty(reading.study); !one) return of_file(file, one.error());
    return check_learners(file, reading);
  }

  /// Error of a file that has no place of its own in it.
  static tl::unexpected<netmodels::Error> of_file(const std::string& file, netmodels::Error error) {
    error.where = error.where.empty() ? file : file + ": " + error.where;
    return tl::unexpected(std::move(error));
  }

  /// All arms, seeds and samples, and where arms change places.
  netmodels::Result<void> simulate(SimulatedFile& simulated, std::optional<report::RunFolder>& folder) {
    if (auto done = simulate_arms(simulated, folder); !done) return done;
    const std::string& file = simulated.study.file;
    if (auto finite = report::check_finite(simulated.study); !finite) return of_file(file, finite.error());
    if (auto done = simulate_seeds(simulated); !done) return of_file(file, done.error());
    if (auto done = draw_samples(simulated); !done) return of_file(file, done.error());
    if (auto done = find_crossovers(simulated.study); !done) return of_file(file, done.error());
    return {};
  }

  [[nodiscard]] bool prints_text() const {
    return command_line::output_format(options_.format).form == command_line::Form::text;
  }

  /// Colours are only for text on a terminal.
  void print(std::unique_ptr<SimulatedFile> simulated) {
    files_.push_back(std::move(simulated));
    auto document = report::study_document({&files_.back()->study, &files_.back()->expectations},
                                           {stdout_width(), options_.details});
    document.text = [text = std::move(document.text)] { return for_stdout(text()); };
    printer_.add(std::move(document));
  }

  /// Completes the folder: the report is made of its other files.
  netmodels::Result<void> finish(report::RunFolder& folder, const SimulatedFile& simulated) {
    folder.write(report::study_json({&simulated.study, &simulated.expectations}),
                 print_study(simulated.reading));
    GRADSIM_TRY(page, report::run_page(folder.staging()));
    const auto charts = read_chart_library(default_chart_library());
    if (!charts) progress_.warn("report.html has no charts: " + charts.error().text());
    write_page(*page, folder.staging() / "report.html", charts ? *charts : std::nullopt);
    folder.finish();
    return {};
  }

  /// A file without a scenario that asks a planner gets advice, as `sim advise` gives it.
  int advise(const std::string& file) {
    clusters_.clear();
    if (options_.out)
      return refuse(
          {file, "a planning question, not a scenario to run", "`sim advise` answers it with --format"});
    if (!prints_text() && options_.files.size() > 1)
      return refuse({file, "a planning question, whose answer is another table than those of the other files",
                     "run it alone, or by `sim advise`"});
    return advise_file({file, options_.format, options_.strict, {}}, options_.scenario, progress_);
  }

  netmodels::Result<void> check_learners(const std::string& file, const scenario::Reading& reading) {
    for (const scenario::Scenario& arm : reading.study.arms) {
      if (auto made = shelf_.make(arm); !made)
        return tl::unexpected(placed(made.error(), file, arm.name, reading));
    }
    return {};
  }

  netmodels::Result<void> simulate_arms(SimulatedFile& file, std::optional<report::RunFolder>& folder) {
    const auto& arms = file.reading.study.arms;
    progress_.begin_file(file.study.file, arms.size());
    for (const scenario::Scenario& arm : arms) {
      if (command_line::interrupted()) break;
      progress_.begin_arm(arm.name);
      if (folder) folder->begin_arm(arm.name, arm.cluster.workers);
      auto result = engine::simulate(arm, listeners(folder), shelf_, clusters_);
      if (!result) return tl::unexpected(placed(result.error(), file.study.file, arm.name, file.reading));
      if (result->whole.steps == 0) {
        say_stepless(file, arm.name, *result);
        continue;
      }
      if (folder && result->learning && result->learning->record)
        folder->add_file(record_name(arm.name, file.study.arms.size() + 1, arms.size()),
                         learning::learners::print_record(*result->learning->record));
      file.study.arms.push_back({&arm, std::move(*result)});
      if (arms.size() == 1) continue;
      if (auto done = explain_arm(file, file.study.arms.back()); !done) return done;
    }
    if (command_line::interrupted() && file.study.arms.size() < arms.size())
      complain(fmt::format("{}: interrupted: the results hold {} of {} arms", file.study.file,
                           file.study.arms.size(), arms.size()));
    return {};
  }

  static int seeds_of(const scenario::Study& study) {
    return std::ranges::max(study.arms, {}, [](const auto& arm) { return arm.simulation.seeds; })
        .simulation.seeds;
  }

  /// Arms are compared on common seeds.
  static netmodels::Result<void> check_seeds(const scenario::Study& study) {
    const std::uint64_t first = study.arms.front().simulation.seed;
    const auto other =
        std::ranges::find_if(study.arms, [&](const auto& arm) { return arm.simulation.seed != first; });
    if (seeds_of(study) == 1 || other == study.arms.end()) return {};
    return netmodels::refuse("seeds",
                             "arms are compared on common seeds, and `seed` is " + std::to_string(first) +
                                 " and " + std::to_string(other->simulation.seed),
                             "state one `seed` for all arms");
  }

  /// The other seeds, where several are asked for.
  netmodels::Result<void> simulate_seeds(SimulatedFile& file) {
    const auto& arms = file.reading.study.arms;
    const int seeds = seeds_of(file.reading.study);
    if (command_line::interrupted() || seeds == 1 || stepless_) return {};
    clusters_.clear();  // each process builds its own
    GRADSIM_TRY(results, sweep::simulate_seeds(
                             {file.study.file, all_settings(), data_folder(), arms.front().simulation.seed,
                              static_cast<std::size_t>(seeds), jobs(), &stop_},
                             file.study));
    if (results->size() == 1) return {};  // stopped before another seed was done
    file.study.seeds_agree = results->empty();
    file.study.seeds = std::move(*results);
    return {};
  }

  [[nodiscard]] std::vector<std::string> all_settings() const {
    std::vector<std::string> settings = options_.scenario.settings();
    std::ranges::move(options_.settings(), std::back_inserter(settings));
    std::ranges::copy(measured_, std::back_inserter(settings));
    return settings;
  }

  static std::size_t jobs() { return std::max(1U, std::thread::hardware_concurrency()); }

  /// Samples are common to all arms, and each is one run.
  static netmodels::Result<void> check_uncertainty(const scenario::Study& study) {
    const auto& asked = study.arms.front().simulation.uncertainty;
    const auto differs = [&](const scenario::Scenario& arm) { return arm.simulation.uncertainty != asked; };
    if (std::ranges::any_of(study.arms, differs))
      return netmodels::refuse("uncertainty",
                               "arms are compared on common samples, and they state different ones",
                               "state `uncertainty` once, for all arms");
    if (!asked || asked->samples >= seeds_of(study)) return {};
    return netmodels::refuse(
        "uncertainty",
        fmt::format("{} samples are asked for, and {} seeds: each sample is run with one of the seeds",
                    asked->samples, seeds_of(study)),
        "ask for at least as many samples as seeds");
  }

  /// Runs with other values of uncertain inputs, where they are asked for.
  netmodels::Result<void> draw_samples(SimulatedFile& file) {
    const auto& asked = file.reading.study.arms.front().simulation.uncertainty;
    if (!asked || command_line::interrupted() || stepless_) return {};
    clusters_.clear();
    GRADSIM_TRY(samples, sweep::simulate_samples(
                             {file.study.file, all_settings(), data_folder(), *asked,
                              static_cast<std::size_t>(seeds_of(file.reading.study)), jobs(), &stop_},
                             file.reading.study));
    file.study.uncertain = std::move(*samples);
    return {};
  }

  netmodels::Result<void> find_crossovers(report::SimulatedStudy& study) {
    GRADSIM_TRY(winners, report::winners_by_bandwidth(study, clusters_, &stop_));
    study.by_bandwidth = std::move(*winners);
    return {};
  }

  /// Warns of an arm without steps, which has no row in any table: the program does not end as if it had.
  void say_stepless(const SimulatedFile& file, const std::string& name, const engine::ArmResult& result) {
    if (result.ending == engine::Ending::interrupted) return;
    complain(fmt::format("{}: arm `{}`: a failure ends it before its first step, so that it has no results",
                         file.study.file, name));
    stepless_ = true;
  }

  /// record.csv, or record-NUMBER-ARM.csv where there are several arms, counted from 1; characters that no
  /// file name should hold becomes `_`.
  static std::string record_name(std::string arm, std::size_t number, std::size_t arms) {
    if (arms == 1) return "record.csv";
    for (char& letter : arm) {
      const bool plain =
          std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '.';
      if (!plain) letter = '_';
    }
    return "record-" + std::to_string(number) + "-" + arm + ".csv";
  }

  /// The verdict asks why an arm is faster. At once, while its cluster is there.
  netmodels::Result<void> explain_arm(const SimulatedFile& file, report::SimulatedArm& arm) {
    const scenario::Scenario& stated = *arm.scenario;
    const auto typical =
        engine::check_typical_step(stated.exchange.synchronisation, stated.exchange.compression,
                                   stated.work.batching, stated.work.streams);
    if (command_line::interrupted() || !typical) return {};
    auto steps = engine::explain(*arm.scenario, clusters_,
                                 {.compression_worth = false, .dependence = true, .stop = &stop_});
    if (command_line::interrupted()) return {};
    if (!steps) return tl::unexpected(placed(steps.error(), file.study.file, arm.result.name, file.reading));
    arm.explained = std::move(*steps);
    auto goodput = engine::goodput_steps(*arm.scenario, clusters_);
    if (command_line::interrupted()) return {};
    if (!goodput)
      return tl::unexpected(placed(goodput.error(), file.study.file, arm.result.name, file.reading));
    arm.goodput = *goodput;
    return {};
  }

  engine::Listeners listeners(std::optional<report::RunFolder>& folder) {
    engine::Listeners listeners;
    listeners.stop = &stop_;
    listeners.progress = [this](double share) { progress_.show(share); };
    if (!folder) return listeners;
    listeners.step = [&folder](const engine::StepRecord& step) { folder->add(step); };
    listeners.span = [&folder](const engine::Span& span) { folder->add(span); };
    return listeners;
  }

  int strict(const report::ExpectationReport& report) {
    if (!options_.strict || report.met() != false) return exit_done;
    for (const std::string& line : missed(report)) complain("missed: " + line);
    return exit_refused;
  }

  int refuse(const netmodels::Error& error) {
    progress_.clear();
    command_line::print_error(std::cerr, error);
    return exit_refused;
  }

  void complain(const std::string& text) {
    progress_.clear();
    std::cerr << text << "\n";
  }

  /// Several files get a folder each.
  [[nodiscard]] fs::path folder_of(const std::string& file) const {
    const fs::path out = *options_.out;
    return options_.files.size() == 1 ? out : out / fs::path(file).stem();
  }

  bool distinct_folders() {
    std::set<fs::path> folders;
    for (const std::string& file : options_.files) {
      if (!options_.out || folders.insert(folder_of(file)).second) continue;
      complain("--out: two files would be written to " + folder_of(file).string() + "; run them one by one");
      return false;
    }
    return true;
  }

  std::vector<std::string> measured_;  ///< settings that hold what was measured for the file that is run
  bool stepless_ = false;              ///< an arm ended before its first step
  const RunOptions& options_;
  const std::atomic<bool>& stop_;
  engine::LearnerShelf shelf_;
  engine::ClusterCache clusters_{&stop_};
  Progress progress_;
  std::vector<std::unique_ptr<SimulatedFile>> files_;  ///< files that the printer points into
  command_line::Printer printer_;
};

/// @returns whether the threads asked for are accepted
netmodels::Result<void> check_threads(const RunOptions& options) {
  const std::int64_t asked = options.threads.value_or(1);
  if (asked >= 1 && asked <= most_threads) return {};
  return netmodels::refuse(
      "--threads", fmt::format("`{}` is too {}", asked, asked < 1 ? "small" : "large"),
      fmt::format("accepted: at least 1 and at most {}; without it, all cores", most_threads));
}

int run(RunOptions& options) {
  if (auto checked = check_threads(options); !checked) {
    command_line::print_error(std::cerr, checked.error());
    return exit_refused;
  }
  auto files = scenario_files(options.files);
  if (!files) {
    command_line::print_error(std::cerr, files.error());
    return exit_refused;
  }
  options.files = std::move(*files);
  return Run(options).files();
}

}  // namespace

void add_run(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "run", "runs scenarios; compares arms with each other and with published figures");
  const auto options = std::make_shared<RunOptions>();
  command
      ->add_option(
          "FILE", options->files,
          "scenario files, or folders of them, run one after another; one that is refused does not stop the "
          "others, and makes the exit code 1")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--out", options->out,
          "also writes report.html, summary.json, steps.csv, timeline.json and scenario.resolved.yaml there")
      ->type_name("DIR");
  command
      ->add_option(
          "--timeline", options->timeline,
          "which workers and steps timeline.json has: brief (those of the first node and one of each other "
          "speed, 3 steps), or full (all)")
      ->type_name("NAME")
      ->check(command_line::known_words({"brief", "full"}));
  command_line::add_format(*command, options->format);
  command->add_flag("--strict", options->strict, "exit code 1 when a figure under `expect` is missed");
  command->add_flag("--details", options->details,
                    "below the answer: tables of all phases, reasons, and where each number comes from");
  command->add_flag("--quiet", options->quiet, "no progress on stderr");
  command
      ->add_option(
          "--seeds", options->seeds,
          "runs every arm with N seeds, counted up from `seed`: means, intervals, and from 5 seeds on which "
          "differences are more than chance")
      ->type_name("N");
  command
      ->add_option(
          "--samples", options->samples,
          "runs every arm with N draws of the uncertain inputs: percentiles, how often each arm wins, "
          "and what would settle it; short for --set uncertainty.samples=N")
      ->type_name("N");
  command
      ->add_option(
          "--threads", options->threads,
          "threads that compute the gradients of a live learner's workers, to the same bits for any number; "
          "default: all cores. Other seeds and samples take one process a core, each of one thread")
      ->type_name("N");
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim run scenarios/quickstart.yaml\n"
      "  sim run scenarios/quickstart.yaml --set training.batch=64 --format json\n"
      "  sim run scenarios/quickstart.yaml --out quickstart_run     # timeline.json opens in "
      "ui.perfetto.dev\n"
      "  sim run scenarios/papers --strict --quiet          # every *.yaml in the folder");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sim
