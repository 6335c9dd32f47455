// Writes the folder of a run, and the timeline in it.
#include "sim/report/run_folder.hpp"

#include <system_error>
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

namespace {

namespace fs = std::filesystem;

/// The uppermost folder on the way to `path` that does not exist yet.
fs::path first_missing(const fs::path& path) {
  fs::path missing;
  for (fs::path folder = fs::absolute(path).lexically_normal(); !fs::exists(folder);
       folder = folder.parent_path())
    missing = folder;
  return missing;
}

/// Removes folders from `path` up to `made`, as long as they are empty.
void remove_made(const fs::path& path, const fs::path& made) {
  std::error_code stop;
  for (fs::path folder = fs::absolute(path).lexically_normal(); fs::remove(folder, stop) && folder != made;)
    folder = folder.parent_path();
}

void write_file(const fs::path& target, const std::string& text) {
  TextSink sink(target);
  sink.write(text);
  sink.finish();
}

/// Without a slash at the end, so that the last part is the folder's name.
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

}  // namespace

netmodels::Result<RunFolder> RunFolder::open(const fs::path& path) {
  const fs::path folder = without_slash(path);
  std::error_code unknown;
  if (fs::exists(folder, unknown) && !fs::is_directory(folder)) {
    return netmodels::refuse("--out", "`" + path.string() + "` is a file",
                             "name a folder; it is created if needed");
  }
  fs::path made = first_missing(folder);
  fs::create_directories(folder);
  return RunFolder(folder, std::move(made));
}

RunFolder::RunFolder(fs::path path, fs::path made) : path_(std::move(path)), made_(std::move(made)) {
  try {
    steps_.emplace(path_ / "steps.csv");
    timeline_.emplace(path_ / "timeline.json");
  } catch (...) {
    steps_.reset();
    if (!made_.empty()) remove_made(path_, made_);
    throw;
  }
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      made_(std::exchange(other.made_, {})),
      steps_(std::move(other.steps_)),
      timeline_(std::move(other.timeline_)),
      more_(std::move(other.more_)) {
  other.steps_.reset();
  other.timeline_.reset();
}

RunFolder::~RunFolder() {
  steps_.reset();
  timeline_.reset();
  if (!made_.empty()) remove_made(path_, made_);
}

void RunFolder::begin_arm(const std::string& name, int workers) {
  steps_->begin_arm(name);
  timeline_->begin_arm(name, workers);
}

void RunFolder::finish(const std::string& summary, const std::string& resolved_scenario) {
  write_file(path_ / "scenario.resolved.yaml", resolved_scenario);
  steps_->finish();
  timeline_->finish();
  for (const auto& [name, text] : more_) write_file(path_ / name, text);
  write_file(path_ / "summary.json", summary);
  made_.clear();
}

}  // namespace sim::report
