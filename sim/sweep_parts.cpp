// Parts, ranks and merging of `sim sweep`.
#include "sim/sweep_parts.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/interruption.hpp"
#include "netmodels/unit.hpp"
#include "sim/exit_code.hpp"
#include "sim/sweep/sweep_merge.hpp"
#include "sim/sweep/sweep_part.hpp"
#include "sim/sweep/sweep_ranks.hpp"
#include "sim/sweep_run.hpp"

namespace sim {
namespace {

using netmodels::Result;

/// Simulates the part of a rank.
Result<int> run_part_of(const sweep::LaunchedRank& rank, const SweepOptions& options, Progress& progress) {
  const sweep::SweepPart part{rank.rank + 1, rank.ranks};
  SweepOptions own = options;
  own.database = sweep::part_file(options.database, part).string();
  own.jobs = options.jobs.value_or(1);
  own.export_format.clear();
  own.quiet = options.quiet || rank.rank > 0;
  PartFile file{part, {}, rank.launch};
  if (options.resume) file.whole = options.database;
  return run_sweep(own, progress, file);
}

std::vector<std::filesystem::path> files_of_ranks(const sweep::LaunchedRank& rank,
                                                  const SweepOptions& options) {
  std::vector<std::filesystem::path> files;
  for (std::size_t number = 1; number <= rank.ranks; ++number)
    files.push_back(sweep::part_file(options.database, {number, rank.ranks}));
  return files;
}

Result<int> print_merged(const sweep::MergeOutcome& merged, const SweepOptions& options) {
  if (!options.quiet)
    std::cerr << fmt::format("{} points: {} simulated, {} failed, {} missing, from {} files\n", merged.points,
                             merged.points - merged.failed - merged.missing, merged.failed, merged.missing,
                             merged.files);
  if (merged.missing > 0)
    return netmodels::refuse(
        "--merge",
        fmt::format("`{}` has {} of {} points: {}", options.database, merged.points - merged.missing,
                    merged.points, merged.missing_text()),
        "repeat the command of these parts with --resume, then merge again");
  if (!options.export_format.empty()) {
    GRADSIM_TRY(store, sweep::SweepStore::open(options.database));
    print_points(*store, options);
  }
  return merged.failed == 0 ? exit_done : exit_refused;
}

/// Joins, on rank 0, the parts of all ranks once they have ended.
Result<int> merge_ranks(const sweep::LaunchedRank& rank, netmodels::Seconds patience,
                        const SweepOptions& options) {
  const auto files = files_of_ranks(rank, options);
  const auto lost =
      sweep::wait_for_parts({files, rank.launch, patience, &command_line::catch_interruptions()});
  if (const auto signal = command_line::interrupted()) return *signal;
  if (!lost.empty()) {
    std::vector<std::string> names(lost.begin(), lost.end());
    std::cerr << fmt::format(
        "sim sweep: {} of {} parts did not end, and nothing has changed there for {}: {}\n"
        "repeat the same command with --resume, or the command of one part with --part K/{} --resume, and "
        "join "
        "all by sim sweep --merge\n",
        lost.size(), files.size(), netmodels::print(patience), fmt::join(names, ", "), rank.ranks);
    return exit_broken;
  }
  GRADSIM_TRY(merged, sweep::merge_parts(files, options.database));
  GRADSIM_TRY(code, print_merged(*merged, options));
  for (const std::filesystem::path& file : files) std::filesystem::remove(file);
  return *code;
}

/// Errors that all ranks share, so that none waits for another.
Result<netmodels::Seconds> check_ranks(const SweepOptions& options) {
  if (options.database.empty())
    return netmodels::refuse("--db",
                             "ranks write their parts beside the file of the sweep, and no file is given",
                             "name a file in a folder that all machines share");
  if (!options.resume && std::filesystem::exists(options.database))
    return netmodels::refuse("--db", "`" + options.database + "` already exists",
                             "continue it by --resume, or name another file");
  const auto patience = netmodels::parse<netmodels::Seconds>(options.lost_after);
  if (!patience) return netmodels::refuse("--lost-after", patience.error().what, patience.error().hint);
  if (*patience < netmodels::Seconds{1})
    return netmodels::refuse("--lost-after", "`" + options.lost_after + "` is too short",
                             "accepted: at least 1 s");
  return *patience;
}

/// The part of a rank but 0. Launchers end a job whose rank fails: what rank 0 reports as well is left to it,
/// and failed points are in the file.
Result<int> run_other_rank(const sweep::LaunchedRank& rank, const SweepOptions& options) {
  Progress silent(true);
  if (!check_ranks(options)) return exit_done;
  const auto code = run_part_of(rank, options, silent);
  if (code) return command_line::interrupted().value_or(exit_done);
  const bool is_own = code.error().where == "--db" || code.error().where == "--resume";
  return is_own ? code : exit_done;
}

Result<int> run_rank(const sweep::LaunchedRank& rank, const SweepOptions& options, Progress& progress) {
  if (rank.rank > 0) return run_other_rank(rank, options);
  GRADSIM_TRY(patience, check_ranks(options));
  GRADSIM_TRY(code, run_part_of(rank, options, progress));
  if (command_line::interrupted()) return *code;
  return merge_ranks(rank, *patience, options);
}

}  // namespace

Result<int> run_part(const SweepOptions& options, Progress& progress) {
  if (options.database.empty())
    return netmodels::refuse("--part", "a part is kept in a file, and no file is given",
                             "name the file of the sweep by --db");
  GRADSIM_TRY(part, sweep::parse_part(*options.part));
  SweepOptions own = options;
  own.database = sweep::part_file(options.database, *part).string();
  return run_sweep(own, progress, {*part});
}

Result<int> run_merge(const SweepOptions& options) {
  if (!options.file.empty() || !options.axes.empty() || options.part)
    return netmodels::refuse("--merge", "joins files, and simulates nothing",
                             "give it --db alone: sim sweep --merge FILES --db FILE");
  if (options.database.empty())
    return netmodels::refuse("--merge", "no file for the result", "name a file by --db");
  GRADSIM_TRY(merged, sweep::merge_parts({options.merged.begin(), options.merged.end()}, options.database));
  return print_merged(*merged, options);
}

Result<int> run_by_launcher(const SweepOptions& options, Progress& progress) {
  GRADSIM_TRY(rank, sweep::launched_rank([](const char* name) { return std::getenv(name); }));
  return *rank ? run_rank(**rank, options, progress) : run_sweep(options, progress);
}

}  // namespace sim
