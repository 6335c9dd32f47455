// Progress on stderr, and the capabilities of the terminals behind stdout and stderr.
#pragma once

#include <cstddef>
#include <string>

namespace sim {

// The capabilities of the terminals behind stdout and stderr.

/// Whether stderr is a terminal that can move its cursor.
bool can_draw_on_stderr();

/// Text for people: styled where stdout is a terminal that is not `dumb` and the environment has no NO_COLOR
/// (https://no-color.org), as it is elsewhere.
std::string for_stdout(const std::string& text);

/// The width of the terminal behind stdout, in characters, at least 40, or what COLUMNS says; 80 without one.
std::size_t stdout_width();

/// The width of tables that other programs may read: `stdout_width`, or `npos` where stdout is no terminal
/// and COLUMNS says nothing.
std::size_t table_width();

// Progress on stderr: a bar on a terminal, plain lines otherwise.

/// Shows which arm of which file is being simulated. When quiet it prints warnings alone.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin_file(const std::string& file, std::size_t arms);
  void begin_arm(const std::string& arm);
  /// @param share  of the arm's steps that are done, in [0, 1]
  void show(double share);
  /// A separate line on how far the work is.
  void say(const std::string& line);
  /// "warning: TEXT", also when quiet: it may change the answer.
  void warn(const std::string& text);
  /// Takes the bar off the screen, so that results can follow.
  void clear();

 private:
  enum class Kind { silent, lines, bar };

  Kind kind_;
  std::string file_;
  std::string arm_;
  std::size_t arms_ = 0;
  std::size_t arm_number_ = 0;
  std::string drawn_;
};

}  // namespace sim
