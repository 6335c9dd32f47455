// Forks, runs commands with their output caught, and says how a process ended.
#include "sim/serve/worker.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "command_line/exit_code.hpp"
#include "command_line/memory_limit.hpp"
#include "files/module.hpp"
#include "sim/serve/arguments.hpp"

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void fail(const char* call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

/// @returns false where the other side is gone
bool send_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent =
        files::retried([&] { return send(descriptor, text.data(), text.size(), MSG_NOSIGNAL); });
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Appends what can be read now. @returns false at the end of the stream
bool read_some(int descriptor, LineBuffer& lines) {
  std::array<char, 65536> buffer{};
  const ssize_t got = files::retried([&] { return read(descriptor, buffer.data(), buffer.size()); });
  if (got < 0) return errno == EAGAIN;
  lines.append({buffer.data(), static_cast<std::size_t>(got)});
  return got > 0;
}

/// A file in memory that takes the place of a standard stream.
class CaughtStream {
 public:
  explicit CaughtStream(int stream) : file_(memfd_create("gradsim", MFD_CLOEXEC)), stream_(stream) {
    if (!file_ || dup2(file_.number(), stream_) < 0) fail("memfd_create");
  }

  /// Empties it, fills it, and goes back to its beginning.
  void reset(std::string_view text) const {
    if (ftruncate(file_.number(), 0) != 0 || lseek(file_.number(), 0, SEEK_SET) != 0) fail("ftruncate");
    while (!text.empty()) {
      const ssize_t written = files::retried([&] { return write(file_.number(), text.data(), text.size()); });
      if (written <= 0) fail("write");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(file_.number(), 0, SEEK_SET);
  }

  [[nodiscard]] std::string text() const {
    const off_t size = lseek(file_.number(), 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t got = files::retried([&] {
        return pread(file_.number(), text.data() + done, text.size() - done, static_cast<off_t>(done));
      });
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  files::Descriptor file_;
  int stream_;
};

/// The child's life: a line in, a line out.
class CommandLoop {
 public:
  CommandLoop(const RunCommand& run, int channel, std::size_t workers)
      : run_(run), channel_(channel), workers_(workers) {}

  void run() {
    while (const auto line = next()) {
      const ordered_json request = ordered_json::parse(*line);
      ordered_json reply = answer(request);
      const bool last = reply["last"] = !files::open_modules().empty();
      if (!send_all(channel_, line_of(reply)) || last) return;
    }
  }

 private:
  std::optional<std::string> next() {
    while (true) {
      if (auto line = lines_.next()) return line;
      if (!read_some(channel_, lines_)) return std::nullopt;
    }
  }

  ordered_json ask(const ordered_json& question) {
    if (!send_all(channel_, line_of({{"ask", question}}))) fail("send");
    const auto line = next();
    if (!line) throw std::runtime_error("the server has ended before a decision came");
    return ordered_json::parse(*line);
  }

  ordered_json answer(const ordered_json& request) {
    const ordered_json& params = request.at("params");
    input_.reset(input_text(params));
    output_.reset("");
    const int exit_code = guarded(request.at("method").get_ref<const std::string&>(), params);
    std::cout.flush();
    std::fflush(stdout);
    return {{"exit_code", exit_code}, {"output", output_.text()}};
  }

  int guarded(const std::string& method, const ordered_json& params) {
    try {
      return run_(method, params, [this](const ordered_json& question) { return ask(question); });
    } catch (const std::bad_alloc&) {
      std::cerr << "sim: " << command_line::memory_message(workers_) << "\n";
    } catch (const std::exception& error) {
      std::cerr << "sim: " << error.what() << "\n";
    }
    return command_line::exit_broken;
  }

  const RunCommand& run_;
  int channel_;
  std::size_t workers_;
  LineBuffer lines_;
  CaughtStream input_{STDIN_FILENO};
  CaughtStream output_{STDOUT_FILENO};
};

[[noreturn]] void work(const RunCommand& run, int channel, int log, std::size_t workers) noexcept {
  int status = command_line::exit_done;
  try {
    if (dup2(log, STDERR_FILENO) < 0) fail("dup2");
    command_line::share_memory(workers);
    CommandLoop(run, channel, workers).run();
  } catch (const std::exception&) {
    status = command_line::exit_broken;
  }
  _exit(status);  // skips the exit handlers of the server, whose files these are
}

}  // namespace

Worker::Worker(const RunCommand& run, std::size_t workers, const std::vector<int>& others) {
  std::array<int, 2> channel{};
  std::array<int, 2> log{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) != 0) fail("socketpair");
  channel_ = files::Descriptor(channel[0]);
  files::Descriptor far_channel(channel[1]);
  if (pipe2(log.data(), O_CLOEXEC) != 0) fail("pipe2");
  log_ = files::Descriptor(log[0]);
  files::Descriptor far_log(log[1]);
  std::cout.flush();  // or the child would hold what is not yet written, too
  const pid_t server = getpid();
  process_ = fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server) _exit(command_line::exit_broken);
    for (const int other : others) close(other);
    close(channel[0]);
    close(log[0]);
    work(run, channel[1], log[1], workers);
  }
  fcntl(log_.number(), F_SETFL, O_NONBLOCK);
}

Worker::~Worker() { stop(); }

void Worker::begin(Request request) {
  const ordered_json message{{"method", request.method}, {"params", request.params}};
  current_ = std::move(request);
  // A worker that is gone is heard of by the end of its channel.
  send_all(channel_.number(), line_of(message));
}

void Worker::answer(const ordered_json& decision) { send_all(channel_.number(), line_of(decision)); }

Request Worker::end() { return *std::exchange(current_, std::nullopt); }

std::vector<std::string> Worker::read_log() {
  std::array<char, 65536> buffer{};
  ssize_t got = 0;
  while ((got = files::retried([&] { return read(log_.number(), buffer.data(), buffer.size()); })) > 0)
    logged_.append({buffer.data(), static_cast<std::size_t>(got)});
  if (got == 0) log_.reset();  // ended: not to be polled again
  std::vector<std::string> lines;
  while (auto line = logged_.next()) lines.push_back(std::move(*line));
  return lines;
}

Worker::Heard Worker::read_reply() {
  Heard heard;
  heard.ended = !read_some(channel_.number(), replies_);
  const auto line = replies_.next();
  if (!line) return heard;
  ordered_json message = ordered_json::parse(*line);
  if (message.contains("ask"))
    heard.question = std::move(message["ask"]);
  else
    heard.reply = std::move(message);
  return heard;
}

std::string Worker::reap() {
  int status = 0;
  files::retried([&] { return waitpid(process_, &status, 0); });
  process_ = 0;
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

void Worker::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  reap();
}

}  // namespace sim::serve
