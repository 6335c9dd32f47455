// `sim sweep`: a scenario at many points, in processes of their own, into an SQLite file.
#include <iostream>
#include <memory>
#include <string>

#include "command_line/error_output.hpp"
#include "command_line/known_words.hpp"
#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/progress.hpp"
#include "sim/scenario_files.hpp"
#include "sim/sweep_options.hpp"
#include "sim/sweep_parts.hpp"
#include "sim/sweep_run.hpp"

namespace sim {

namespace {

int run(const SweepOptions& options) {
  Progress progress(options.quiet);
  const bool prints = options.axes.empty() && options.file.empty() && !options.database.empty();
  const auto done = !options.merged.empty() ? run_merge(options)
                    : options.part          ? run_part(options, progress)
                    : prints                ? print_sweep_file(options)
                                            : run_by_launcher(options, progress);
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
      ->check(command_line::known_words({"grid", "latin_hypercube", "one_at_a_time"}));
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
                   "number of processes; default: all cores, under mpirun and srun one per rank")
      ->type_name("N");
  command
      ->add_option("--db", options->database,
                   "SQLite file of the results; without it, they are printed as CSV and not kept")
      ->type_name("FILE");
  command->add_flag("--resume", options->resume, "continues an existing file; failed points are tried again");
  command->add_flag("--check", options->check,
                    "with --db alone: exit code 0 where the file holds every point of its sweep, else 1");
  command
      ->add_option("--part", options->part,
                   "only each N-th point from the K-th, into a file beside --db: sweep.part-K-of-N.db")
      ->type_name("K/N");
  command
      ->add_option("--merge", options->merged,
                   "with --db alone: joins files of parts, or those in a folder, into --db")
      ->type_name("FILE...")
      ->expected(1, -1);
  command->add_flag("--steps", options->steps, "also keeps each step, in the table `step` of the file");
  command
      ->add_option("--timeout", options->timeout,
                   "time limit of one point, after which it counts as "
                   "failed")
      ->type_name("TIME");
  command
      ->add_option(
          "--lost-after", options->lost_after,
          "under mpirun or srun: a rank counts as lost whose file no process holds and does not change "
          "for this long")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--export", options->export_format,
                   "prints the finished table to stdout: " + command_line::one_of(row_formats()))
      ->type_name("NAME")
      ->check(command_line::known_words(row_formats()));
  command->add_flag("--quiet", options->quiet, "no progress on stderr");
  options->scenario.add_to(*command);
  command->footer(
      "A sweep that is killed loses only the points that were running: the same command with --resume\n"
      "runs the rest. Exit code 1 where points failed. Under mpirun or srun each rank simulates a part into "
      "a\n"
      "file beside --db, and rank 0 joins them; --part and --merge do the same under any scheduler.\n"
      "Examples:\n"
      "  sim sweep scenarios/quickstart.yaml --axis cluster.workers=4,8,16 --axis seed=1..5 --db sweep.db\n"
      "  sim sweep scenarios/quickstart.yaml --axis 'cluster.link.bandwidth=1..25 Gbit/s log 8' > table.csv\n"
      "  sim sweep --db sweep.db --export csv\n"
      "  sim sweep scenarios/quickstart.yaml --axis seed=1..100 --db sweep.db --part 3/20 --resume\n"
      "  sim sweep --merge sweep.part-*.db --db sweep.db\n"
      "  mpirun -n 8 sim sweep scenarios/quickstart.yaml --axis seed=1..100 --db sweep.db");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sim
