// The folder that `sim run --out` fills, and the timeline in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/output_file.hpp"
#include "files/output_folder.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/record.hpp"
#include "sim/report/steps_csv.hpp"

namespace sim::report {

// timeline.json: the actions of each worker over time, as Chrome trace events, which Perfetto opens.

/// Streams spans as complete events ("X"): a process for each worker of each arm, a thread for each lane.
/// Times are microseconds since the training began.
/// Source: "Trace Event Format", Chromium project
/// (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
class Timeline {
 public:
  explicit Timeline(const std::filesystem::path& target);

  /// @param workers  of the arm; process ids of the next arm begin after them
  void begin_arm(const std::string& name, int workers);
  void add(const engine::Span& span);
  void finish();

 private:
  struct Process {
    std::map<std::string, int, std::less<>> lanes;
  };

  void put(const std::string& event);
  void flush();
  int lane(int process, int worker, std::string_view name);

  files::OutputFile sink_;
  std::string arm_;
  int first_process_ = 0;
  int next_process_ = 0;
  std::map<int, Process> processes_;
  std::string text_;
  bool empty_ = true;
};

// The folder that `sim run --out` fills: summary.json, steps.csv, timeline.json, scenario.resolved.yaml, and
// a record of each arm that asks for one.

/// Whether a file of this name is one that `sim run --out` writes.
bool is_of_run(std::string_view name);

/// Written beside its place and put there as a whole at the end (files::OutputFolder): an aborted run leaves
/// no file and no folder, and files of an earlier run stay until the new ones are complete. Files that
/// are not of a run stay in the folder.
class RunFolder {
 public:
  /// @returns the folder, or an Error when `path` is empty, something else than a folder, or being written by
  ///          another process
  /// Throws std::system_error when the system refuses.
  static netmodels::Result<RunFolder> open(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void begin_arm(const std::string& name, int workers);
  void add(const engine::StepRecord& step) { steps_->add(step); }
  void add(const engine::Span& span) { timeline_->add(span); }

  /// One more file.
  /// @param name  of the file, without a folder
  void add_file(const std::string& name, std::string text) { more_.emplace_back(name, std::move(text)); }

  /// Completes all files, in `staging`.
  void write(const std::string& summary, const std::string& resolved_scenario);
  /// Where they lie until `finish`.
  [[nodiscard]] const std::filesystem::path& staging() const { return folder_.staging(); }

  /// Puts the folder in its place.
  void finish() { folder_.finish(); }

 private:
  explicit RunFolder(files::OutputFolder folder);

  std::filesystem::path path_;
  files::OutputFolder folder_;
  std::optional<StepsCsv> steps_;
  std::optional<Timeline> timeline_;
  std::vector<std::pair<std::string, std::string>> more_;  ///< names and texts
};

}  // namespace sim::report
