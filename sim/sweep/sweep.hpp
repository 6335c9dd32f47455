// Sweeps: a scenario played at many points, each in a process of its own, into a file.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/value.hpp"
#include "sim/sweep/rank_pool.hpp"
#include "sim/sweep/sweep_design.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

// What the files hold that a scenario names: a sweep goes on only where they are the same.

/// One YAML comment a file, in the order of their paths: `# PATH: 1234 bytes, 0123456789abcdef`, with a hash.
/// @param resolved  a scenario as it is printed: its files have whole paths
/// Leaves out: shipped files that go by a name alone (the program's version stands for them); values that are
/// whole paths for another reason are told, too.
std::string contents_of_files(const scenario::Value& resolved);

// One point of a sweep, played.

/// What playing a point gives.
struct SimulatedPoint {
  std::string scenario;      ///< resolved, as `sim check` prints it
  command_line::Table rows;  ///< one per arm: the columns of a run but `scenario` and `phase`
  std::string steps;         ///< as steps.csv; empty where they are not asked for
};

/// Reads the scenario with these settings and plays all its arms.
/// @param with_steps  whether each step is kept, too
/// @returns an Error with its place where it is refused
netmodels::Result<SimulatedPoint> simulate_point(const std::string& file,
                                                 const std::vector<std::string>& settings,
                                                 const std::filesystem::path& data_dir, bool with_steps);

/// As bytes, for another process.
std::string pack(const SimulatedPoint& point);
SimulatedPoint unpack(const std::string& bytes);

/// What is asked.
struct SweepRequest {
  std::string file;                   ///< the scenario
  std::vector<std::string> settings;  ///< `KEY=VALUE`, laid over it at every point; axes win
  SweepPlan plan;
  std::filesystem::path data_dir;  ///< the folder `scenarios`
  std::string program;             ///< version
  bool steps = false;              ///< whether each step is kept, too
};

/// How it is done.
struct SweepEffort {
  std::size_t jobs = 1;                                      ///< processes at a time
  std::optional<netmodels::Seconds> timeout = std::nullopt;  ///< of one point
  const std::atomic<bool>* stop = nullptr;
  /// Told about every point that ends; may be empty.
  std::function<void(const SweptPoint& point, std::size_t done, std::size_t all)> said = nullptr;
  sweep::Ranks* ranks =
      nullptr;  ///< whose rank 0 this is: the others play, and `jobs` and `timeout` are theirs
};

/// How it ended.
struct SweepOutcome {
  std::size_t points = 0;  ///< of the plan
  std::size_t played = 0;  ///< now
  std::size_t known = 0;   ///< that the file had before
  std::size_t failed = 0;  ///< of those tried now
};

/// What identifies a sweep. Reads the scenario at the first point, then for each value that was written out
/// those that have it, until one is accepted: so a mistake in the file, in a key or in a value is refused
/// before anything is played. A value that some values of the other axes go with is no mistake: where others
/// do not, those points alone will fail.
/// @returns an Error with its place, or at `--axis KEY=VALUE`
netmodels::Result<SweepIdentity> identify(const SweepRequest& request);

/// Plays the points that the store does not have, in order. A point that is refused, crashes or takes too
/// long is written as failed with its reason, and tried again by the next sweep into the same file.
/// @param store  opened for `identify(request)`
/// @returns how it ended, or the Error of a plan without points
/// @throws std::runtime_error where the store or the system fails
netmodels::Result<SweepOutcome> sweep(const SweepRequest& request, const SweepEffort& effort,
                                      SweepStore& store);

/// On the ranks but 0: plays what rank 0 hands out of the same sweep, until it ends.
/// @param timeout  of one point
/// @returns nothing, or the Error of a plan without points
/// @throws std::runtime_error where rank 0 is lost
netmodels::Result<void> serve_sweep(const SweepRequest& request, std::optional<netmodels::Seconds> timeout,
                                    sweep::Ranks& ranks);

}  // namespace sim::sweep
