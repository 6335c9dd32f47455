// Ctrl-C and SIGTERM: the one signal handler of both programs.
#include "command_line/interruption.hpp"

#include <csignal>

namespace command_line {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> raised{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// The next signal of either kind ends the program.
extern "C" void note_signal(int signal) {
  last_signal = signal;
  raised = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catch_interruptions() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return raised;
}

void survive_file_limits() { std::signal(SIGXFSZ, SIG_IGN); }

std::optional<int> interrupted() {
  constexpr int shells_add = 128;
  if (!raised) return std::nullopt;
  return shells_add + last_signal;
}

}  // namespace command_line
