// A forked child that serves cases over two pairs of sockets.
#include "calibrate/probes/supervised_cases.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace calibrate::probes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char answered = 'a', case_failed = 'f', set_up_failed = 's';

/// Begins each answer; the text follows.
struct AnswerHead {
  std::uint64_t bytes = 0;
  char kind = 0;
};

[[noreturn]] void fail_in(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

std::array<int, 2> new_channel() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_in("socketpair");
  return ends;
}

/// @returns false where the other end is closed
bool write_all(int file, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = send(file, next, bytes, MSG_NOSIGNAL);  // the other process may have ended
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    next += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

/// Waits as long as it takes. @returns false at the end
bool read_all(int file, void* data, std::size_t bytes) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = read(file, next, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    next += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void send_answer(int file, char kind, const std::string& text) {
  const AnswerHead head{text.size(), kind};
  if (!write_all(file, &head, sizeof head) || !write_all(file, text.data(), text.size())) _exit(1);
}

/// @returns false where nothing came until then
bool readable(int file, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    constexpr std::chrono::milliseconds longest(1'000'000);
    pollfd wanted{file, POLLIN, 0};
    const int found =
        poll(&wanted, 1, static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), longest).count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) fail_in("poll");
    if (Clock::now() >= until) return false;
  }
}

void close_end(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

/// How a process ended that was not asked to.
std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("its process was ended by signal {}", WTERMSIG(status));
  return fmt::format("its process ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

SupervisedCases::SupervisedCases(SetUp set_up, netmodels::Seconds limit)
    : set_up_(std::move(set_up)), limit_(limit) {}

SupervisedCases::~SupervisedCases() {
  if (child_ < 0) return;
  close_end(requests_);  // an idle child ends
  try {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(limit_.count));
    (void)readable(answers_, until);
    end_group();
  } catch (const std::exception&) {  // destructor: errors cannot be reported
    (void)kill(-child_, SIGKILL);
  }
}

void SupervisedCases::serve(std::size_t first, int requests, int answers) const {
  Work work;
  try {
    work = set_up_(first);
  } catch (const std::exception& failure) {
    send_answer(answers, set_up_failed, failure.what());
    _exit(1);
  }
  for (std::uint64_t number = 0; read_all(requests, &number, sizeof number);) {
    try {
      send_answer(answers, answered, work(number));
    } catch (const std::exception& failure) {
      send_answer(answers, case_failed, failure.what());
    }
  }
  work = nullptr;  // ends what the cases share in order, where it still can
  _exit(0);
}

void SupervisedCases::start(std::size_t first) {
  std::array<int, 2> requests = new_channel(), answers = new_channel();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail_in("fork");
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent ended before
    for (const int wanted : {SIGINT, SIGTERM, SIGHUP}) signal(wanted, SIG_IGN);
    close(requests[1]);
    close(answers[0]);
    serve(first, requests[0], answers[1]);
  }
  setpgid(child, child);  // here, too: whoever is first
  close(requests[0]);
  close(answers[1]);
  child_ = child;
  requests_ = requests[1];
  answers_ = answers[0];
  fresh_ = true;
}

/// @param killed  waits only for a while: the system may not be able to end it
int SupervisedCases::reap(bool killed) {
  constexpr int most_looks = 1000;
  constexpr std::chrono::milliseconds between(10);
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  for (int look = 0; look < most_looks; ++look) {
    const pid_t found = waitpid(child, &status, killed ? WNOHANG : 0);
    if (found == child || (found < 0 && errno != EINTR)) break;
    if (killed) std::this_thread::sleep_for(between);
  }
  close_end(requests_);
  close_end(answers_);
  return status;
}

void SupervisedCases::end_group() {
  (void)kill(-child_, SIGKILL);
  reap(true);
}

SupervisedCases::Answer SupervisedCases::wait_for_answer() {
  const double seconds = limit_.count * (fresh_ ? 2 : 1);
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  if (!readable(answers_, until)) {
    end_group();
    throw std::runtime_error(
        fmt::format("it did not end within {:g} s; its process group was killed", seconds));
  }
  AnswerHead head;
  Answer answer;
  const bool begun = read_all(answers_, &head, sizeof head);
  answer.kind = head.kind;
  answer.text.resize(head.bytes);
  if (begun && read_all(answers_, answer.text.data(), answer.text.size())) return answer;
  const pid_t group = child_;
  const int status = reap(false);
  (void)kill(-group, SIGKILL);  // ends what the child started
  throw std::runtime_error(ending(status));
}

std::string SupervisedCases::run(std::size_t number) {
  if (child_ < 0) start(number);
  const auto request = static_cast<std::uint64_t>(number);
  (void)write_all(requests_, &request, sizeof request);  // an ended child is seen by its answer
  Answer answer = wait_for_answer();
  fresh_ = answer.kind == case_failed;  // shared state may be set up again
  if (answer.kind == answered) return std::move(answer.text);
  if (answer.kind == case_failed) throw std::runtime_error(answer.text);
  end_group();
  throw SetUpError(answer.text);
}

}  // namespace calibrate::probes
