// steps.csv: one line for each recorded step of each arm, written as the run goes on.
#pragma once

#include <filesystem>
#include <string>

#include "sim/engine/record.hpp"
#include "sim/output/text_sink.hpp"

namespace sim::output {

/// Streams step records, so that a run of a million steps needs no memory for them.
class StepsCsv {
 public:
  explicit StepsCsv(const std::filesystem::path& target);

  void begin_arm(const std::string& name);
  void add(const engine::StepRecord& step);
  void finish();

 private:
  void add(const std::optional<engine::LearningStep>& learning);
  void add_samples(const engine::StepRecord& step);
  void flush();

  TextSink sink_;
  std::string arm_;
  std::string lines_;
};

}  // namespace sim::output
