// Launchers' variables, and waiting for files.
#include "sim/sweep/sweep_ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "files/file_lock.hpp"
#include "files/text_file.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;
using netmodels::Seconds;
using Clock = std::chrono::steady_clock;

/// Variables of one launcher.
struct SweepLauncher {
  const char* rank;
  const char* ranks;
  std::array<const char*, 2> launch;  ///< together they identify this job or step
};

constexpr std::array sweep_launchers{
    SweepLauncher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE", nullptr}},
    SweepLauncher{"PMI_RANK", "PMI_SIZE", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
    SweepLauncher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

std::optional<long long> number_of_variable(const EnvironmentVariable& variable, const char* name) {
  const char* text = variable(name);
  return text == nullptr ? std::nullopt : files::read_integer(text);
}

/// The file's state that its writer changes.
std::string fingerprint(const fs::path& file) {
  std::string text;
  for (const char* end : {"", "-wal", ".lock"}) {
    std::error_code unknown;
    const fs::path path = file.string() + end;
    const auto size = fs::file_size(path, unknown);
    if (unknown) continue;
    const auto written = fs::last_write_time(path, unknown).time_since_epoch().count();
    text += fmt::format("{}:{}:{} ", end, size, written);
  }
  return text;
}

/// A part that is waited for.
class AwaitedPart {
 public:
  explicit AwaitedPart(fs::path file) : file_(std::move(file)) {}

  [[nodiscard]] const fs::path& file() const { return file_; }

  [[nodiscard]] bool has_ended(const std::string& launch) const {
    std::error_code unknown;
    if (fs::exists(file_.string() + ".lock", unknown) || !fs::exists(file_, unknown)) return false;
    try {
      const auto store = SweepStore::open(file_);
      return store && store->noted_end() == launch;
    } catch (const std::runtime_error&) {  // a file that was just begun
      return false;
    }
  }

  /// Whether nothing has changed for too long, and no process holds the file.
  bool is_lost(Seconds patience) {
    const std::string now = fingerprint(file_);
    if (now != seen_ || files::FileLock::holder(file_)) {
      seen_ = now;
      changed_ = Clock::now();
    }
    return Seconds{std::chrono::duration<double>(Clock::now() - changed_).count()} >= patience;
  }

 private:
  fs::path file_;
  std::string seen_;
  Clock::time_point changed_ = Clock::now();
};

}  // namespace

Result<std::optional<LaunchedRank>> launched_rank(const EnvironmentVariable& variable) {
  for (const SweepLauncher& launcher : sweep_launchers) {
    const auto ranks = number_of_variable(variable, launcher.ranks);
    if (!ranks || *ranks < 2) continue;
    const auto rank = number_of_variable(variable, launcher.rank);
    if (!rank || *rank < 0 || *rank >= *ranks) {
      const char* text = variable(launcher.rank);
      return netmodels::refuse(
          launcher.rank, text == nullptr ? "it is not set" : fmt::format("`{}`", text),
          fmt::format("accepted: 0 to {}, as {} says; or name a part by --part", *ranks - 1, launcher.ranks));
    }
    LaunchedRank found{static_cast<std::size_t>(*rank), static_cast<std::size_t>(*ranks), {}};
    for (const char* name : launcher.launch) {
      const char* text = name == nullptr ? nullptr : variable(name);
      if (text != nullptr) found.launch += fmt::format("{}{}", found.launch.empty() ? "" : ".", text);
    }
    return std::optional(found);
  }
  return std::optional<LaunchedRank>{};
}

std::vector<fs::path> wait_for_parts(const PartWait& wait) {
  constexpr std::chrono::milliseconds pause{100};
  std::vector<AwaitedPart> awaited;
  for (const fs::path& file : wait.files) awaited.emplace_back(file);
  std::vector<fs::path> lost;
  while (true) {
    std::erase_if(awaited, [&](const AwaitedPart& part) { return part.has_ended(wait.launch); });
    std::erase_if(awaited, [&](AwaitedPart& part) {
      const bool is_lost = part.is_lost(wait.patience);
      if (is_lost) lost.push_back(part.file());
      return is_lost;
    });
    if (awaited.empty() || (wait.stop != nullptr && wait.stop->load())) break;
    std::this_thread::sleep_for(pause);
  }
  for (const AwaitedPart& part : awaited) lost.push_back(part.file());
  std::ranges::sort(lost);
  return lost;
}

}  // namespace sim::sweep
