// Forks, listens, and kills on timeout.
#include "sim/sweep/process_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <list>
#include <new>
#include <numeric>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "command_line/memory_limit.hpp"
#include "files/descriptor.hpp"
#include "files/module.hpp"

namespace sim::sweep {
namespace {

using netmodels::Seconds;
using Clock = std::chrono::steady_clock;

constexpr int status_of_failure = 1;  // the text is the reason

/// A child at work.
struct Child {
  std::size_t piece = 0;
  pid_t process = 0;
  int pipe = -1;  ///< pipe of its output
  Clock::time_point began = {};
  std::string text = {};
  bool too_long = false;
  int unheard = 0;  ///< why its output cannot be read, as errno says
};

void write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = files::retried([&] { return write(pipe, text.data(), text.size()); });
    if (written <= 0) _exit(status_of_failure);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Ends this child with its parent: its work is no longer needed then.
void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(status_of_failure);
}

/// Children at a time, at most.
std::size_t side_by_side(const PooledWork& all) {
  return std::min(std::max<std::size_t>(1, all.jobs), all.pieces.size());
}

[[noreturn]] void work_in_child(const PooledWork& all, std::size_t piece, int pipe) noexcept {
  int status = 0;
  std::string text;
  try {
    text = all.work(piece);
  } catch (const std::bad_alloc&) {
    text = command_line::memory_message(side_by_side(all));
    status = status_of_failure;
  } catch (const std::exception& error) {
    text = error.what();
    status = status_of_failure;
  } catch (...) {
    text = "failed without a reason";
    status = status_of_failure;
  }
  write_all(pipe, fmt::format("{}\n", fmt::join(files::open_modules(), " ")));
  write_all(pipe, text);
  _exit(status);  // skips the exit handlers of the parent, whose files these are
}

/// Takes the first line off what a child said: modules that it has opened.
/// @param opens  them here, too, so that children to come find them open
void take_modules(Child& child, bool opens) {
  const auto end = child.text.find('\n');
  if (end == std::string::npos) return;
  std::istringstream names(child.text.substr(0, end));
  for (std::string name; opens && names >> name;) (void)files::open_module_entry(name);
  child.text.erase(0, end + 1);
}

std::string reason(int status, const Child& child) {
  if (child.too_long) return "took too long and was killed";
  if (child.unheard != 0) return std::string("its results cannot be read: ") + std::strerror(child.unheard);
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == status_of_failure && !child.text.empty()) return child.text;
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

class Pool {
 public:
  explicit Pool(const PooledWork& all) : all_(all) {}
  ~Pool() {
    for (const Child& child : children_) end(child);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  std::size_t run() {
    while (!stopped() && (next_ < all_.pieces.size() || !children_.empty())) {
      while (next_ < all_.pieces.size() && children_.size() < std::max<std::size_t>(1, all_.jobs))
        begin(all_.pieces[next_++]);
      listen();
      kill_late();
      if (all_.waiting) all_.waiting();
    }
    return ended_;
  }

 private:
  [[nodiscard]] bool stopped() const { return all_.stop != nullptr && all_.stop->load(); }

  void begin(std::size_t piece) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      throw std::runtime_error(std::string("cannot create a pipe: ") + std::strerror(errno));
    std::cout.flush();  // or the child would hold what is not yet written, too
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process == 0) {
      die_with(parent);
      command_line::share_memory(side_by_side(all_));
      close(ends[0]);
      for (const Child& child : children_) close(child.pipe);
      work_in_child(all_, piece, ends[1]);
    }
    close(ends[1]);
    if (process < 0) {
      close(ends[0]);
      throw std::runtime_error(std::string("cannot create a process: ") + std::strerror(errno));
    }
    children_.push_back({piece, process, ends[0], Clock::now()});
  }

  /// Until a child writes, at most until the next one is late.
  void listen() {
    constexpr int longest_wait = 200;  // milliseconds, so that an interruption is seen
    std::vector<pollfd> pipes;
    for (const Child& child : children_) pipes.push_back({child.pipe, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), longest_wait) <= 0) return;
    auto child = children_.begin();
    for (const pollfd& heard : pipes) {
      const auto current = child++;
      if (heard.revents != 0 && !read_some(*current)) finish(current);
    }
  }

  /// @returns false at the end of what the child has to say
  static bool read_some(Child& child) {
    std::array<char, 65536> buffer{};
    const ssize_t got = files::retried([&] { return read(child.pipe, buffer.data(), buffer.size()); });
    if (got < 0) child.unheard = errno;
    if (got <= 0) return false;
    child.text.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  void finish(std::list<Child>::iterator child) {
    int status = 0;
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) {
    }
    close(child->pipe);
    Child ended = std::move(*child);
    children_.erase(child);
    ++ended_;
    if (WIFEXITED(status)) take_modules(ended, next_ < all_.pieces.size());
    WorkOutcome outcome;
    outcome.duration = Seconds{std::chrono::duration<double>(Clock::now() - ended.began).count()};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && ended.unheard == 0)
      outcome.text = std::move(ended.text);
    else
      outcome.failure = reason(status, ended);
    all_.done(ended.piece, std::move(outcome));
  }

  void kill_late() {
    if (!all_.timeout) return;
    for (Child& child : children_) {
      const Seconds spent{std::chrono::duration<double>(Clock::now() - child.began).count()};
      if (child.too_long || spent < *all_.timeout) continue;
      child.too_long = true;
      kill(child.process, SIGKILL);
    }
  }

  static void end(const Child& child) {
    kill(child.process, SIGKILL);
    while (waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
    }
    close(child.pipe);
  }

  const PooledWork& all_;
  std::list<Child> children_;
  std::size_t next_ = 0;  ///< index of the next piece
  std::size_t ended_ = 0;
};

}  // namespace

std::vector<std::size_t> pieces_below(std::size_t count) {
  std::vector<std::size_t> pieces(count);
  std::iota(pieces.begin(), pieces.end(), std::size_t{0});
  return pieces;
}

std::size_t run_in_processes(const PooledWork& all) { return Pool(all).run(); }

}  // namespace sim::sweep
