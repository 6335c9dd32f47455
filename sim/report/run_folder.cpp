// Writes the folder of a run, and the timeline in it.
#include "sim/report/run_folder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sim::report {

// timeline.json: events, and the names of processes and threads.

namespace {

constexpr std::size_t flush_json_at = 1 << 16;
constexpr double microseconds = 1e6;  // in a second

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

std::string metadata(std::string_view what, int process, int thread, const std::string& name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process,
                     thread, json_text(name));
}

}  // namespace

Timeline::Timeline(const std::filesystem::path& target)
    : sink_(target), text_("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[") {}

void Timeline::begin_arm(const std::string& name, int workers) {
  arm_ = name;
  first_process_ = next_process_;
  next_process_ += workers;
}

void Timeline::add(const engine::Span& span) {
  const int process = first_process_ + span.worker;
  const int thread = lane(process, span.worker, span.lane);
  put(fmt::format(
      R"({{"name":{},"cat":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"step":{}}}}})",
      json_text(span.name), json_text(span.lane), process, thread, span.start.count * microseconds,
      span.duration.count * microseconds, span.step));
}

int Timeline::lane(int process, int worker, std::string_view name) {
  const auto [place, is_new] = processes_.try_emplace(process);
  if (is_new) {
    put(metadata("process_name", process, 0, fmt::format("{}: worker {}", arm_, worker)));
    put(fmt::format(
        R"({{"name":"process_sort_index","ph":"M","pid":{0},"tid":0,"args":{{"sort_index":{0}}}}})",
        process));
  }
  auto& lanes = place->second.lanes;
  const auto known = lanes.find(name);
  if (known != lanes.end()) return known->second;
  const int thread = static_cast<int>(lanes.size());
  lanes.emplace(name, thread);
  put(metadata("thread_name", process, thread, std::string(name)));
  return thread;
}

void Timeline::put(const std::string& event) {
  text_ += empty_ ? "\n" : ",\n";
  text_ += event;
  empty_ = false;
  if (text_.size() >= flush_json_at) flush();
}

void Timeline::flush() {
  sink_.write(text_);
  text_.clear();
}

void Timeline::finish() {
  text_ += "\n]}\n";
  flush();
  sink_.finish();
}

// The folder that `sim run --out` fills: made, filled, or removed again.

bool is_of_run(std::string_view name) {
  constexpr std::array<std::string_view, 5> names{"summary.json", "steps.csv", "timeline.json",
                                                  "scenario.resolved.yaml", "report.html"};
  return std::ranges::find(names, name) != names.end() ||
         (name.starts_with("record") && name.ends_with(".csv"));
}

netmodels::Result<RunFolder> RunFolder::open(const std::filesystem::path& path) {
  GRADSIM_TRY(folder, files::OutputFolder::open(path, "--out", is_of_run));
  return RunFolder(std::move(*folder));
}

RunFolder::RunFolder(files::OutputFolder folder) : path_(folder.path()), folder_(std::move(folder)) {
  steps_.emplace(folder_.staging() / "steps.csv");
  timeline_.emplace(folder_.staging() / "timeline.json");
}

void RunFolder::begin_arm(const std::string& name, int workers) {
  steps_->begin_arm(name);
  timeline_->begin_arm(name, workers);
}

void RunFolder::write(const std::string& summary, const std::string& resolved_scenario) {
  const auto& staging = folder_.staging();
  files::write_file(staging / "scenario.resolved.yaml", resolved_scenario);
  steps_->finish();
  timeline_->finish();
  for (const auto& [name, text] : more_) files::write_file(staging / name, text);
  files::write_file(staging / "summary.json", summary);
}

}  // namespace sim::report
