// The folder that `sim run --out` fills: summary.json, steps.csv, timeline.json, scenario.resolved.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "netmodels/result.hpp"
#include "sim/engine/record.hpp"
#include "sim/output/steps_csv.hpp"
#include "sim/output/timeline.hpp"

namespace sim::output {

/// Every file is written beside its place and renamed at the end. A run that is given up leaves no file, and
/// no folder that it made itself. Files of an earlier run stay until the new ones are complete.
class RunFolder {
 public:
  /// @returns the folder, made if need be, or an Error when `path` is something else than a folder
  /// Throws std::system_error when the system refuses.
  static netmodels::Result<RunFolder> open(const std::filesystem::path& path);
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void begin_arm(const std::string& name, int workers);
  void add(const engine::StepRecord& step) { steps_->add(step); }
  void add(const engine::Span& span) { timeline_->add(span); }

  /// Puts all four files in their places.
  void finish(const std::string& summary, const std::string& resolved_scenario);

 private:
  RunFolder(std::filesystem::path path, std::filesystem::path made);

  std::filesystem::path path_;
  std::filesystem::path made_;  ///< the uppermost folder that did not exist before; empty: all did
  std::optional<StepsCsv> steps_;
  std::optional<Timeline> timeline_;
};

}  // namespace sim::output
