// Forks, listens, and kills on timeout.
#include "sim/sweep/process_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <list>
#include <new>
#include <numeric>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <string>
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

constexpr int status_of_failure = 1;  // the child could not report

/// A child at work.
struct Child {
  std::deque<std::size_t> batch = {};  ///< pieces that have not ended: the first is under way
  pid_t process = 0;
  int pipe = -1;                 ///< pipe of its output
  Clock::time_point began = {};  ///< begin of the piece under way
  std::string text = {};         ///< output that is not taken yet
  bool too_long = false;
  bool retired = false;  ///< whether it has reported its last piece
  int unheard = 0;       ///< why its output cannot be read, as errno says
};

/// A child's report about a piece: this as a line, then the text.
struct PieceReport {
  bool failed = false;
  bool last = false;  ///< the child ends with this piece
  double duration_s = 0;
  std::size_t length = 0;                 ///< bytes of the text
  std::vector<std::string> modules = {};  ///< open modules
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

Seconds since(Clock::time_point begin) {
  return Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
}

std::string line_of(const PieceReport& report) {
  return fmt::format("{} {} {} {} {}\n", int{report.failed}, int{report.last}, report.duration_s,
                     report.length, fmt::join(report.modules, " "));
}

/// The report at the begin of a text, which loses it.
/// @returns nothing where the text does not hold all of it yet
std::optional<std::pair<PieceReport, std::string>> take_report(std::string& text) {
  const auto end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream line(text.substr(0, end));
  PieceReport report;
  line >> report.failed >> report.last >> report.duration_s >> report.length;
  if (text.size() - end - 1 < report.length) return std::nullopt;
  for (std::string name; line >> name;) report.modules.push_back(name);
  std::pair<PieceReport, std::string> taken{report, text.substr(end + 1, report.length)};
  text.erase(0, end + 1 + report.length);
  return taken;
}

/// Does one piece. @returns its text, or that of its failure
std::string do_piece(const PooledWork& all, std::size_t piece, PieceReport& report) noexcept {
  report.failed = true;
  try {
    std::string text = all.work(piece);
    report.failed = false;
    return text;
  } catch (const std::bad_alloc&) {
    report.last = true;
    return command_line::memory_message(side_by_side(all));
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "failed without a reason";
  }
}

[[noreturn]] void work_in_child(const PooledWork& all, const std::deque<std::size_t>& batch,
                                int pipe) noexcept {
  const auto arrived = Clock::now();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto began = Clock::now();
    PieceReport report;
    const std::string text = do_piece(all, batch[i], report);
    report.modules = files::open_modules();
    const bool is_over = !all.shift || since(arrived) >= *all.shift;
    report.last = report.last || i + 1 == batch.size() || is_over || !report.modules.empty();
    report.duration_s = since(began).count;
    report.length = text.size();
    write_all(pipe, line_of(report) + text);
    if (report.last) break;
  }
  _exit(0);  // skips the exit handlers of the parent, whose files these are
}

/// Why a child ended before it had reported its piece.
std::string reason(int status, const Child& child) {
  if (child.too_long) return "took too long and was killed";
  if (child.unheard != 0) return std::string("its results cannot be read: ") + std::strerror(child.unheard);
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

class Pool {
 public:
  explicit Pool(const PooledWork& all) : all_(all), left_(all.pieces.begin(), all.pieces.end()) {}
  ~Pool() {
    for (const Child& child : children_) end(child);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  std::size_t run() {
    while (!stopped() && (!left_.empty() || !children_.empty())) {
      while (!left_.empty() && children_.size() < jobs()) begin(next_batch());
      listen();
      kill_late();
    }
    return ended_;
  }

 private:
  [[nodiscard]] bool stopped() const { return all_.stop != nullptr && all_.stop->load(); }
  [[nodiscard]] std::size_t jobs() const { return std::max<std::size_t>(1, all_.jobs); }

  /// The next pieces for one process: as many as its shift takes by the mean of those that ended, and at most
  /// its share of all that are left.
  std::deque<std::size_t> next_batch() {
    std::size_t size = 1;
    if (all_.shift && ended_ > 0 && files::open_modules().empty()) {
      const double mean = std::max(spent_.count / static_cast<double>(ended_), 1e-6);
      const double most = static_cast<double>((left_.size() + jobs() - 1) / jobs());
      size = static_cast<std::size_t>(std::clamp(all_.shift->count / mean, 1.0, most));
    }
    const auto end = left_.begin() + static_cast<std::ptrdiff_t>(size);
    std::deque<std::size_t> batch(left_.begin(), end);
    left_.erase(left_.begin(), end);
    return batch;
  }

  void begin(std::deque<std::size_t> batch) {
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
      work_in_child(all_, batch, ends[1]);
    }
    close(ends[1]);
    if (process < 0) {
      close(ends[0]);
      throw std::runtime_error(std::string("cannot create a process: ") + std::strerror(errno));
    }
    children_.push_back({std::move(batch), process, ends[0], Clock::now()});
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
  bool read_some(Child& child) {
    std::array<char, 65536> buffer{};
    const ssize_t got = files::retried([&] { return read(child.pipe, buffer.data(), buffer.size()); });
    if (got < 0) child.unheard = errno;
    if (got <= 0) return false;
    child.text.append(buffer.data(), static_cast<std::size_t>(got));
    while (auto taken = take_report(child.text)) take_in(child, taken->first, std::move(taken->second));
    return true;
  }

  /// Passes the result of a piece on, and opens modules that it has opened here, too, so that children to
  /// come find them open.
  void take_in(Child& child, const PieceReport& report, std::string text) {
    if (!left_.empty() || child.batch.size() > 1)
      for (const std::string& name : report.modules) (void)files::open_module_entry(name);
    WorkOutcome outcome;
    outcome.duration = Seconds{report.duration_s};
    if (report.failed)
      outcome.failure = std::move(text);
    else
      outcome.text = std::move(text);
    child.retired = report.last;
    end_piece(child, std::move(outcome));
  }

  /// The piece under way has ended, and the next of the batch is.
  void end_piece(Child& child, WorkOutcome outcome) {
    const std::size_t piece = child.batch.front();
    child.batch.pop_front();
    child.began = Clock::now();
    ++ended_;
    spent_ += outcome.duration;
    all_.done(piece, std::move(outcome));
  }

  /// A child has gone: its piece under way has failed unless it has retired; others do the rest.
  void finish(std::list<Child>::iterator child) {
    int status = 0;
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) {
    }
    close(child->pipe);
    Child gone = std::move(*child);
    children_.erase(child);
    if (!gone.retired && !gone.batch.empty()) end_piece(gone, {{}, reason(status, gone), since(gone.began)});
    left_.insert(left_.begin(), gone.batch.begin(), gone.batch.end());
  }

  void kill_late() {
    if (!all_.timeout) return;
    for (Child& child : children_) {
      if (child.too_long || child.retired || since(child.began) < *all_.timeout) continue;
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
  std::deque<std::size_t> left_;  ///< pieces that no child has, in the order in which they begin
  std::size_t ended_ = 0;
  Seconds spent_;  ///< time of the pieces that ended
};

}  // namespace

std::vector<std::size_t> pieces_below(std::size_t count) {
  std::vector<std::size_t> pieces(count);
  std::iota(pieces.begin(), pieces.end(), std::size_t{0});
  return pieces;
}

std::size_t run_in_processes(const PooledWork& all) { return Pool(all).run(); }

}  // namespace sim::sweep
