// The results of a sweep in an SQLite file, which survive a crash once written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "files/file_lock.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/sweep/database.hpp"
#include "sim/sweep/sweep_design.hpp"
#include "sim/sweep/sweep_part.hpp"

namespace sim::sweep {

// The steps of a point in a sweep's file, where they are asked for.

/// Adds lines as `sim run --out` writes them to steps.csv, header first, to the table `step`: the column
/// `point`, then those of the file; numbers are numbers, empty cells NULL. Makes the table where it is not
/// there.
void write_steps(const Database& database, std::size_t point, const std::string& csv);

/// Makes the table `step` with these columns behind `point`.
void create_step_table(const Database& database, const std::vector<std::string>& columns);

/// Makes the table `result` with these columns behind `point`.
void create_result_table(const Database& database, const std::vector<std::string>& columns);

/// Names of the columns of a table without `point`, in order.
std::vector<std::string> columns_of(const Database& database, const std::string& schema,
                                    const std::string& table);

/// The identity of a sweep. A file is continued only where all of it is equal, so that results agree.
struct SweepIdentity {
  std::string file;      ///< as named on the command line
  std::string question;  ///< question of the scenario
  std::string scenario;  ///< resolved, without the axes, and what the files hold that it names
  std::string program;   ///< version of the program
  std::string design;    ///< "grid", "latin_hypercube of 100 points, seed 1"
  std::vector<SweepAxis> axes;
  bool steps = false;      ///< whether each step is kept
  std::size_t points = 0;  ///< points of the plan, of all parts
  SweepPart part = {};     ///< the part that the file holds

  bool operator==(const SweepIdentity&) const = default;
};

/// The first thing in which two sweeps differ, their files' names apart: "it was written by version 1.0".
/// @returns nothing where they are the same sweep
std::optional<std::string> difference(const SweepIdentity& there, SweepIdentity asked);

/// A completed or failed point.
struct SweptPoint {
  std::size_t number = 0;              ///< from 0
  std::vector<std::string> values;     ///< one per axis
  std::optional<std::string> failure;  ///< nothing where it completed
  netmodels::Seconds duration;         ///< wall-clock time
  std::string scenario;                ///< resolved; empty where it could not be read
  command_line::Table rows;            ///< one per arm; empty where it failed
  std::string steps = {};              ///< as steps.csv; empty where they are not kept
};

/// One SQLite file, which the `sqlite3` shell, pandas and R open too:
///
///   meta(key, value)                        schema_version, file, question, scenario, program, design, axes,
///                                           steps, points; of a part: part (K/N), ended
///   point(id, state, message, wall_s, scenario_hash, KEY of each axis)     state: done or failed
///   result(point, arm, ...)                 one row per arm, the columns of `sim run --format csv`
///   scenario(hash, text)                    resolved scenarios of the points
///   step(point, arm, ...)                   where they are kept: each step, the columns of steps.csv
///
/// A point is written in one transaction, and replaces its earlier rows. One process at a time
/// writes a file (FileLock); others may read it meanwhile.
class SweepStore {
 public:
  /// Opens a new file, or continues one that holds the same sweep.
  /// @param path    `:memory:` keeps nothing
  /// @param resume  whether an existing file may be continued
  /// @returns an Error at `--db` for a file that another process writes, that is there without `resume`, is
  /// no
  ///          sweep's, is of another schema or of another sweep (naming the difference), and for errors that
  ///          SQLite cannot open
  static netmodels::Result<SweepStore> open(const std::filesystem::path& path, const SweepIdentity& identity,
                                            bool resume);
  /// Opens an existing file for reading.
  static netmodels::Result<SweepStore> open(const std::filesystem::path& path);

  SweepStore(SweepStore&& other) noexcept = default;
  SweepStore& operator=(SweepStore&& other) = delete;
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;
  /// Leaves one file without a log beside it, which a disk that cannot be written shows as well.
  ~SweepStore();

  /// The number of points of the sweep, or of the part, once all are complete.
  [[nodiscard]] std::size_t planned() const { return planned_; }
  /// Whether SQLite finds its pages and indices whole.
  [[nodiscard]] bool is_sound() const;
  /// Numbers of the completed points, rising. A point with fewer rows than others lost some, and is none.
  [[nodiscard]] std::vector<std::size_t> done() const;
  /// @throws std::runtime_error where the disk does not take it; then nothing of the point is written
  void write(const SweptPoint& point);

  /// All points: `point`, the axes, then the columns of a run; by point, arms in order of simulation. A
  /// failed point has one row that ends after its values with the message in the column `failure`.
  /// @param without  keys of columns that are not needed
  [[nodiscard]] command_line::Table table(std::span<const std::string_view> without = {}) const;
  [[nodiscard]] SweepIdentity identity() const;

  /// Notes, in the file of a part, that each of its points was tried. Opening it for writing forgets that.
  /// @param launch  name of the launcher's job; may be empty
  void note_end(const std::string& launch) const;
  /// The job whose process noted the end; nothing where the part has not ended.
  [[nodiscard]] std::optional<std::string> noted_end() const;

 private:
  explicit SweepStore(Database database) : database_(std::move(database)) {}
  static netmodels::Result<SweepStore> open_locked(const std::filesystem::path& path,
                                                   const SweepIdentity& identity, bool resume);
  void create(const SweepIdentity& identity) const;
  void forget_rows(std::size_t point) const;
  void write_rows(const SweptPoint& point) const;

  std::optional<files::FileLock>
      lock_;  ///< lock of a file that is written; before the database, so that it goes last
  Database database_;
  std::vector<std::string> axes_;  ///< keys of the axes
  std::size_t planned_ = 0;
};

}  // namespace sim::sweep
