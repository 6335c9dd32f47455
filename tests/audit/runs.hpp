// Runs a scenario with settings in a process of its own, and says what came of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace audit {

enum class Ending { ran, refused, crashed };

/// The answer to one run.
struct Outcome {
  Ending ending = Ending::crashed;
  std::string figures;   ///< the JSON without names of inputs; of what was refused its error
  std::string warnings;  ///< one a line, and sentences on what the figures rest on
  std::string resolved;  ///< the scenario with all defaults, as `--out` writes it
};

/// Figures without the lines that name the file, and places in it.
std::string without_places(const std::string& figures);

/// Reads and runs one scenario as `sim run` does, and a question as `sim advise` does.
class Runner {
 public:
  /// @param scenarios  the shipped folder
  explicit Runner(std::filesystem::path scenarios) : scenarios_(std::move(scenarios)) {}

  /// @param settings  `KEY=VALUE` of each `--set`
  [[nodiscard]] Outcome run(const std::filesystem::path& file,
                            const std::vector<std::string>& settings) const;

 private:
  std::filesystem::path scenarios_;
};

}  // namespace audit
