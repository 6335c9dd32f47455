// The folder that `sim run --out` fills: made, filled, or removed again.
#include "sim/report/run_folder.hpp"

#include <system_error>
#include <utility>

namespace sim::report {
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
                             "name a folder; it is made if need be");
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
