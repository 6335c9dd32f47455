// steps.csv: one line for each recorded step of each arm, written during the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "files/output_file.hpp"
#include "sim/engine/record.hpp"

namespace sim::report {

/// Step records as lines of CSV, without the header.
class StepLines {
 public:
  /// The names of the columns, as a line.
  static std::string_view header();

  void begin_arm(const std::string& name);
  void add(const engine::StepRecord& step);
  [[nodiscard]] const std::string& text() const { return lines_; }
  void clear() { lines_.clear(); }

 private:
  void add(const std::optional<engine::LearningStep>& learning);
  void add(const std::optional<netmodels::LinkState>& network);
  void add_samples(const engine::StepRecord& step);

  std::string arm_;
  std::string lines_;
};

/// Streams step records into a file, so that a run of a million steps needs no memory for them.
class StepsCsv {
 public:
  explicit StepsCsv(const std::filesystem::path& target);

  void begin_arm(const std::string& name) { lines_.begin_arm(name); }
  void add(const engine::StepRecord& step);
  void finish();

 private:
  void flush();

  files::OutputFile sink_;
  StepLines lines_;
};

}  // namespace sim::report
