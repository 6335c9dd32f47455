// timeline.json: what each worker does when, as Chrome trace events, which Perfetto opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "sim/engine/record.hpp"
#include "sim/report/text_sink.hpp"

namespace sim::report {

/// Streams spans as complete events ("X"): a process for each worker of each arm, a thread for each lane.
/// Times are microseconds since the training began.
/// Source: "Trace Event Format", Chromium project
/// (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).
class Timeline {
 public:
  explicit Timeline(const std::filesystem::path& target);

  /// @param workers  of the arm; process ids of the next arm begin behind them
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

  TextSink sink_;
  std::string arm_;
  int first_process_ = 0;
  int next_process_ = 0;
  std::map<int, Process> processes_;
  std::string text_;
  bool empty_ = true;
};

}  // namespace sim::report
