// Finding, checking and joining the files of parts.
#include "sim/sweep/sweep_merge.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/file_lock.hpp"
#include "sim/sweep/part_joiner.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using netmodels::Error;
using netmodels::refuse;
using netmodels::Result;

/// A file to join.
struct Source {
  fs::path file;
  SweepIdentity identity;
  std::vector<std::size_t> completed;  ///< numbers of its completed points
};

tl::unexpected<Error> damaged_part(const fs::path& file) {
  return refuse("--merge", "`" + file.string() + "` is damaged",
                "remove it, simulate its part again, and merge again");
}

/// Files and the files of parts in folders, each once, sorted, without the target.
Result<std::vector<fs::path>> list_files(const std::vector<fs::path>& named, const fs::path& target) {
  std::error_code unknown;
  std::set<fs::path> files;
  for (const fs::path& path : named) {
    if (!fs::is_directory(path, unknown)) {
      files.insert(fs::weakly_canonical(path, unknown));
      continue;
    }
    for (const fs::path& file : part_files_in(path)) files.insert(fs::weakly_canonical(file, unknown));
  }
  files.erase(fs::weakly_canonical(target, unknown));
  if (!files.empty()) return std::vector<fs::path>(files.begin(), files.end());
  return refuse("--merge",
                fmt::format("no file of a part in `{}`",
                            fmt::join(std::vector<std::string>(named.begin(), named.end()), "`, `")),
                "name files that `sim sweep --part K/N` wrote, or their folder");
}

Result<Source> read_source(const fs::path& file) {
  if (const auto holder = files::FileLock::holder(file))
    return refuse("--merge", "`" + file.string() + "` is being written by " + *holder,
                  "wait until it has ended");
  try {
    auto store = SweepStore::open(file);
    if (!store) return refuse("--merge", store.error().what, store.error().hint);
    if (!store->is_sound()) return damaged_part(file);
    return Source{file, store->identity(), store->done()};
  } catch (const std::runtime_error&) {  // SQLite's error on pages that are not there
    return damaged_part(file);
  }
}

/// The identity of the whole sweep.
SweepIdentity whole_of(SweepIdentity identity) {
  identity.part = {};
  return identity;
}

Result<std::vector<Source>> read_sources(const std::vector<fs::path>& files) {
  std::vector<Source> sources;
  for (const fs::path& file : files) {
    GRADSIM_TRY(source, read_source(file));
    sources.push_back(std::move(*source));
    const auto differs = difference(whole_of(sources.back().identity), whole_of(sources.front().identity));
    if (differs)
      return refuse("--merge",
                    fmt::format("`{}` belongs to another sweep than `{}`: {}", file.string(),
                                sources.front().file.string(), *differs),
                    "merge the parts of one sweep, written by one version");
  }
  return sources;
}

/// An earlier merged file, as one more source.
Result<void> add_target(std::vector<Source>& sources, const fs::path& target) {
  std::error_code unknown;
  if (!fs::exists(target, unknown)) return {};
  GRADSIM_TRY(points, points_in(target, whole_of(sources.front().identity)));
  sources.push_back({target, sources.front().identity, std::move(*points)});
  return {};
}

/// Parts that lack points, where all parts are of the same number.
std::vector<SweepPart> parts_without(const std::vector<Source>& sources,
                                     const std::vector<std::size_t>& there, std::size_t points) {
  const std::size_t count = sources.front().identity.part.count;
  if (count == 1 || std::ranges::any_of(sources, [count](const Source& source) {
        return source.identity.part.count != count;
      }))
    return {};
  std::set<std::size_t> numbers;
  for (std::size_t point = 0; point < points; ++point)
    if (!std::ranges::binary_search(there, point)) numbers.insert(point % count + 1);
  std::vector<SweepPart> parts;
  for (const std::size_t number : numbers) parts.push_back({number, count});
  return parts;
}

/// A new file of the sweep, filled from the sources.
Result<MergeOutcome> join_into(const fs::path& file, const std::vector<Source>& sources) {
  const SweepIdentity identity = whole_of(sources.front().identity);
  {
    GRADSIM_TRY(empty, SweepStore::open(file, identity, false));
    (void)empty;
  }
  GRADSIM_TRY(database, Database::open(file, false));
  PartJoiner joiner(std::move(*database));
  for (const Source& source : sources) {
    const auto wrong = joiner.add(source.file, source.completed);
    if (wrong)
      return refuse("--merge", fmt::format("`{}`: {} than the files before it", source.file.string(), *wrong),
                    "merge the parts of one sweep, written by one version");
  }
  joiner.finish();
  const auto there = joiner.points();
  MergeOutcome outcome{0, identity.points, joiner.failed(), identity.points - there.size(), {}};
  outcome.missing_parts = parts_without(sources, there, identity.points);
  return outcome;
}

/// A file beside the target, removed in the end unless it took the target's place.
class FileBeside {
 public:
  explicit FileBeside(const fs::path& target) : file_(target.string() + ".merging") { remove(); }
  ~FileBeside() { remove(); }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  FileBeside(FileBeside&&) = delete;
  FileBeside& operator=(FileBeside&&) = delete;
  [[nodiscard]] const fs::path& file() const { return file_; }

 private:
  void remove() const {
    std::error_code unknown;
    for (const char* end : {"", "-journal", "-wal", "-shm"}) fs::remove(file_.string() + end, unknown);
  }
  fs::path file_;
};

}  // namespace

std::string MergeOutcome::missing_text() const {
  constexpr std::size_t most = 10;  // parts that are named
  if (missing == 0) return "";
  if (missing_parts.empty())
    return missing == 1 ? "1 point is missing" : fmt::format("{} points are missing", missing);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, missing_parts.size()); ++i)
    names.push_back(missing_parts[i].text());
  std::string text =
      fmt::format("{} {}", missing_parts.size() == 1 ? "part" : "parts", fmt::join(names, ", "));
  if (missing_parts.size() > most) text += fmt::format(" and {} more", missing_parts.size() - most);
  return text + (missing_parts.size() == 1 ? " is" : " are") + " missing or not complete";
}

Result<std::vector<std::size_t>> points_in(const fs::path& file, const SweepIdentity& identity) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return std::vector<std::size_t>{};
  GRADSIM_TRY(store, SweepStore::open(file));
  if (const auto differs = difference(store->identity(), identity))
    return refuse("--db", "`" + file.string() + "` contains another sweep: " + *differs, "name another file");
  return store->done();
}

Result<MergeOutcome> merge_parts(const std::vector<fs::path>& named, const fs::path& target) {
  auto lock = files::FileLock::acquire(target);
  if (!lock) return refuse("--db", "`" + target.string() + "`: " + lock.error().what, lock.error().hint);
  GRADSIM_TRY(files, list_files(named, target));
  GRADSIM_TRY(sources, read_sources(*files));
  if (auto added = add_target(*sources, target); !added) return tl::unexpected(added.error());
  const FileBeside beside(target);
  GRADSIM_TRY(outcome, join_into(beside.file(), *sources));
  outcome->files = files->size();
  fs::rename(beside.file(), target);
  return outcome;
}

}  // namespace sim::sweep
