// Sweeps: runs of a scenario at many points, each in its own process, into a file.
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
#include "sim/language/value.hpp"
#include "sim/report/simulated_study.hpp"
#include "sim/sweep/sweep_design.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

// What the files hold that a scenario names: a sweep continues only where they are the same.

/// One YAML comment a file, in the order of their paths: `# PATH: 1234 bytes, 0123456789abcdef`, with a hash.
/// @param resolved  a printed scenario: its files have whole paths
/// Leaves out: shipped files given only by name (the program's version covers them); values that are
/// whole paths for another reason are included, too.
std::string contents_of_files(const language::Value& resolved);

// One point of a sweep and its results.

/// The result of a point.
struct SimulatedPoint {
  std::string scenario;      ///< resolved, as `sim check` prints it
  command_line::Table rows;  ///< one per arm: the columns of a run but `scenario` and `phase`
  std::string steps;         ///< as steps.csv; empty where they are not asked for
};

/// Reads the scenario with these settings and simulates all its arms.
/// @param with_steps  whether each step is kept, too
/// @returns an Error with its place where it is refused
netmodels::Result<SimulatedPoint> simulate_point(const std::string& file,
                                                 const std::vector<std::string>& settings,
                                                 const std::filesystem::path& data_dir, bool with_steps);

/// As bytes, for another process.
std::string pack(const SimulatedPoint& point);
SimulatedPoint unpack(const std::string& bytes);

/// Request for a sweep.
struct SweepRequest {
  std::string file;                   ///< the scenario
  std::vector<std::string> settings;  ///< `KEY=VALUE`, applied to it at every point; axes win
  SweepPlan plan;
  std::filesystem::path data_dir;  ///< the folder `scenarios`
  std::string program;             ///< version
  bool steps = false;              ///< whether each step is kept, too
  SweepPart part = {};             ///< the part of it that is simulated
};

/// How it is done.
struct SweepEffort {
  std::size_t jobs = 1;                                      ///< processes at a time
  std::optional<netmodels::Seconds> timeout = std::nullopt;  ///< limit of one point
  const std::atomic<bool>* stop = nullptr;
  std::vector<std::size_t> known_elsewhere = {};  ///< points that another file holds, rising
  /// Called for every point that ends; may be empty.
  std::function<void(const SweptPoint& point, std::size_t done, std::size_t all)> said = nullptr;
};

/// How it ended.
struct SweepOutcome {
  std::size_t points = 0;     ///< points of the plan, or of the part
  std::size_t simulated = 0;  ///< now
  std::size_t known = 0;      ///< points that the file, or another, had before
  std::size_t failed = 0;     ///< failed points of those tried now
};

/// The identity of a sweep. Reads the scenario at the first point, then for each value that was written out
/// those that have it, until one is accepted: so a mistake in the file, in a key or in a value is refused
/// before any point is run. A value that is valid with some values of the other axes is no error: where
/// others are invalid, only those points will fail.
/// @param warnings  gets those of the scenario at the first point, where it is given
/// @returns an Error with its place, or at `--axis KEY=VALUE`
netmodels::Result<SweepIdentity> identify(const SweepRequest& request,
                                          std::vector<std::string>* warnings = nullptr);

/// Runs the points that the store does not have, in order. A point that is refused, crashes or takes too
/// long is written as failed with its reason, and tried again by the next sweep into the same file.
/// @param store  opened for `identify(request)`
/// @returns how it ended, or the Error of a plan without points
/// @throws std::runtime_error where the store or the system fails
netmodels::Result<SweepOutcome> sweep(const SweepRequest& request, const SweepEffort& effort,
                                      SweepStore& store);

}  // namespace sim::sweep
