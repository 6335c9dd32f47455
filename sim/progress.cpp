// Shows progress on the terminal.
#include "sim/progress.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "sim/report/terminal_text.hpp"

namespace sim {

// Asking the system, and the environment's TERM and NO_COLOR.

namespace {

bool can_draw(int file) {
  const char* terminal = std::getenv("TERM");
  return isatty(file) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colours_refused() {
  const char* refusal = std::getenv("NO_COLOR");
  return refusal != nullptr && *refusal != '\0';
}

}  // namespace

bool can_draw_on_stderr() { return can_draw(STDERR_FILENO); }

std::string for_stdout(const std::string& text) {
  return can_draw(STDOUT_FILENO) && !colours_refused() ? report::style(text) : text;
}

std::size_t table_width() {
  constexpr std::size_t least = 40;
  std::size_t columns = 0;
  if (const char* stated = std::getenv("COLUMNS")) {
    const std::string_view text = stated;
    std::from_chars(text.data(), text.data() + text.size(), columns);
  }
  winsize size{};
  if (columns == 0 && isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  return columns > 0 ? std::max(columns, least) : std::string::npos;
}

std::size_t stdout_width() {
  const std::size_t width = table_width();
  return width == std::string::npos ? report::line_width : width;
}

// Progress on stderr: how the bar is drawn.

namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(bool quiet)
    : kind_(quiet ? Kind::silent : (can_draw_on_stderr() ? Kind::bar : Kind::lines)) {}

Progress::~Progress() { clear(); }

void Progress::begin_file(const std::string& file, std::size_t arms) {
  file_ = file;
  arms_ = arms;
  arm_number_ = 0;
}

void Progress::begin_arm(const std::string& arm) {
  arm_ = arm;
  ++arm_number_;
  if (kind_ == Kind::lines) print(fmt::format("{}: arm {} of {}: {}\n", file_, arm_number_, arms_, arm_));
  show(0);
}

void Progress::show(double share) {
  if (kind_ != Kind::bar) return;
  constexpr int width = 30;
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  const std::string drawn = fmt::format("\r\x1b[K[{}] {:3.0f} %  {}: arm {} of {}: {}", bar, 100 * share,
                                        file_, arm_number_, arms_, arm_);
  if (drawn == drawn_) return;
  drawn_ = drawn;
  print(drawn_);
}

void Progress::say(const std::string& line) {
  if (kind_ == Kind::silent) return;
  clear();
  print(line + "\n");
}

void Progress::warn(const std::string& text) {
  clear();
  print("warning: " + text + "\n");
}

void Progress::clear() {
  if (kind_ == Kind::bar && !drawn_.empty()) print("\r\x1b[K");
  drawn_.clear();
}

}  // namespace sim
