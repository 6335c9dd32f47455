// `calibrate probe layers`: a Python of the user's trains, the import of traces does the rest.
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "files/folder.hpp"

namespace calibrate {
namespace {

namespace fs = std::filesystem;

/// The script's exit status where some models were skipped; it has named them.
constexpr int some_skipped = 4;

std::vector<std::string> command_line(const ProbeLayersOptions& options) {
  std::vector<std::string> words{options.python, options.script, "--output", options.output,
                                 "--device",     options.device, "--steps",  std::to_string(options.steps)};
  if (!options.models.empty()) words.insert(words.end(), {"--models", options.models});
  if (!options.batches.empty()) words.insert(words.end(), {"--batches", options.batches});
  if (options.tf32) words.emplace_back("--tf32");
  return words;
}

/// Runs a program to its end. @returns its exit status; nothing where it could not be started or was killed
std::optional<int> run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ) != 0)
    return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

/// Traces in the folder that are younger than `before`.
std::vector<fs::path> traces_in(const fs::path& folder, fs::file_time_type before) {
  std::vector<fs::path> traces;
  std::error_code gone;
  for (const fs::path& path : files::paths_in(folder)) {
    if (path.string().ends_with(".json.gz") && fs::last_write_time(path, gone) >= before)
      traces.push_back(path);
  }
  return traces;
}

}  // namespace

int run_probe_layers(const ProbeLayersOptions& options, std::ostream& out, std::ostream& log) {
  std::error_code failed;
  fs::create_directories(options.output, failed);
  if (failed) {
    log << options.output << ": cannot create this folder: " << failed.message() << "; name another\n";
    return exit_refused;
  }
  const auto began = fs::file_time_type::clock::now();
  const auto status = run(command_line(options));
  if (!status) log << "calibrate: " << options.python << " could not be run; name a Python by --python\n";
  if (!status || (*status != 0 && *status != some_skipped))
    return status && *status == exit_usage ? exit_usage : exit_broken;
  const auto traces = traces_in(options.output, began);
  if (traces.empty()) {
    log << options.output << ": " << options.script << " wrote no trace there; name a model by --models\n";
    return exit_broken;
  }
  int exit_code = *status == some_skipped ? exit_broken : exit_done;  // the others are imported all the same
  for (const fs::path& trace : traces) {
    ImportTraceOptions import;
    import.tool = "kineto";
    import.files = {trace.string()};
    import.output =
        trace.string().substr(0, trace.string().size() - std::string(".json.gz").size()) + ".yaml";
    import.source = "calibrate probe layers";
    import.licence = "facts: measured figures, free to use";
    import.quiet = options.quiet;
    exit_code = std::max(exit_code, run_import_trace(import, out, log));
  }
  return exit_code;
}

}  // namespace calibrate
