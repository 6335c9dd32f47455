// Ctrl-C and SIGTERM: the one signal handler of both programs.
#include "command_line/interruption.hpp"

#include <csignal>
#include <string_view>
#include <unistd.h>

#include <sys/time.h>

namespace command_line {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> raised{false};
std::atomic<int> last_signal{0};
std::atomic<bool> is_limited{false};
constexpr int shells_add = 128;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Sends SIGPROF after some seconds of computing, and SIGALRM after some by the clock; 0: never. Both
/// are plain system calls of Linux, which a signal handler may make.
void set_limits(int computing, unsigned clock) {
  const itimerval limit{{}, {computing, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(clock);
}

/// The next signal of either kind ends the program.
extern "C" void note_signal(int signal) {
  last_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (is_limited) set_limits(2, 10);
  raised = true;  // last: who sees it lifts the limits
}

/// Ends without exit handlers, which would wait for what the program is busy with.
extern "C" void leave(int) {
  constexpr std::string_view why =
      "interrupted: the work under way did not stop within 2 s; what it had not written is lost\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why.data(), why.size());
  _exit(shells_add + last_signal);
}

}  // namespace

const std::atomic<bool>& catch_interruptions(Grace grace) {
  is_limited = grace == Grace::two_seconds;
  std::signal(SIGALRM, leave);
  std::signal(SIGPROF, leave);
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return raised;
}

void survive_file_limits() { std::signal(SIGXFSZ, SIG_IGN); }

std::optional<int> interrupted() {
  if (!raised) return std::nullopt;
  set_limits(0, 0);
  return shells_add + last_signal;
}

}  // namespace command_line
