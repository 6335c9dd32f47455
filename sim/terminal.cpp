// Asking the system, and the environment's TERM and NO_COLOR.
#include "sim/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "sim/report/terminal_text.hpp"

namespace sim {
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

}  // namespace sim
