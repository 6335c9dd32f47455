// A dry run of a SimGrid platform file (XML) in a child process, its standard error read back through a pipe.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include <simgrid/s4u.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "files/descriptor.hpp"
#include "sim/engine/simgrid/engine.hpp"
#include "sim/engine/simgrid/network.hpp"
#include "sim/engine/simgrid/platform_text.hpp"

namespace sim::engine {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// The part of SimGrid's complaint that a person can use: without log prefixes and backtraces.
std::string last_words(const std::string& log) {
  std::istringstream lines(log);
  std::string line;
  std::string words;
  while (std::getline(lines, line)) {
    if (line.empty() || line.starts_with("Backtrace") || line.starts_with("  ->") ||
        line.starts_with("Current"))
      continue;
    const auto bracket = line.rfind("] ");
    if (bracket != std::string::npos) line.erase(0, bracket + 2);
    if (!words.empty()) words += " ";
    words += line;
    if (words.size() > 300) break;
  }
  return words.empty() ? "no reason given" : words;
}

/// Shared with the child process, which notes its next action there: SimGrid 3.32 crashes on a missing
/// route.
class SharedNote {
 public:
  SharedNote() : text_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedNote() {
    if (text_ != MAP_FAILED) munmap(text_, size);
  }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;

  void write(const std::string& text) {
    if (text_ != MAP_FAILED) std::snprintf(static_cast<char*>(text_), size, "%s", text.c_str());
  }
  [[nodiscard]] std::string read() const {
    return text_ == MAP_FAILED ? "" : static_cast<const char*>(text_);
  }

 private:
  static constexpr std::size_t size = 1024;
  void* text_;
};

enum ChildSays : int {
  child_content = 0,
  child_complains = 1,
  child_has_no_hosts = 2,
  child_has_no_route = 3
};

namespace sg4 = simgrid::s4u;

void try_route(const std::string& from, const std::string& to, SharedNote& note) {
  note.write("`" + from + "` to `" + to + "`");
  std::vector<sg4::Link*> links;
  double latency = 0;
  sg4::Host::by_name(from)->route_to(sg4::Host::by_name(to), links, &latency);
  if (links.empty()) _exit(child_has_no_route);
}

void try_routes(const std::vector<std::string>& hosts, SharedNote& note) {
  constexpr std::size_t few = 256;
  for (std::size_t from = 0; from < hosts.size(); ++from) {
    for (std::size_t to = 0; to < hosts.size(); ++to) {
      const bool looked_up = hosts.size() <= few || from == 0 || to == 0 || to == from + 1;
      if (from != to && looked_up) try_route(hosts[from], hosts[to], note);
    }
  }
  note.write("");
}

/// SimGrid takes any number; a time that is none would reach every result.
void try_links() {
  for (const sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) {
    const bool fits = std::isfinite(link->get_latency()) && link->get_latency() >= 0 &&
                      std::isfinite(link->get_bandwidth()) && link->get_bandwidth() > 0;
    if (fits) continue;
    std::fprintf(stderr, "the link `%s` has a latency of %g s and a bandwidth of %g byte/s\n",
                 link->get_cname(), link->get_latency(), link->get_bandwidth());
    std::fflush(nullptr);
    _exit(child_complains);
  }
}

[[noreturn]] void load_and_leave(const std::string& text, const ChooseHosts& choose_hosts, SharedNote& note,
                                 int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // without its parent it has nobody to answer
  dup2(report, STDOUT_FILENO);
  dup2(report, STDERR_FILENO);
  try {
    const SimGridEngine engine;
    engine.load(text);
    if (sg4::Engine::get_instance()->get_host_count() == 0) _exit(child_has_no_hosts);
    try_links();
    try_routes(choose_hosts(all_hosts()), note);
    std::fflush(nullptr);
    _exit(child_content);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    std::fflush(nullptr);
    _exit(child_complains);
  }
}

std::string all_of(int pipe_end) {
  std::string log;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0;
       (got = files::retried([&] { return read(pipe_end, buffer.data(), buffer.size()); })) > 0;) {
    log.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return log;
}

/// As errno says.
std::string system_reason() { return std::generic_category().message(errno); }

/// SimGrid's words about what it was given, with the name of the file that this is from.
std::string with_name(std::string words, const std::string& path) {
  const std::string given = SimGridEngine::loaded_prefix;
  for (auto at = words.find(given); at != std::string::npos; at = words.find(given, at + path.size())) {
    const auto end = words.find_first_not_of("0123456789", at + given.size());
    words.replace(at, std::min(end, words.size()) - at, path);
  }
  return words;
}

/// What the child's end means.
Result<void> judge(const std::string& path, int status, const std::string& log, const SharedNote& note) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == child_content) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == child_has_no_hosts) {
    return refuse(path, "the platform file has no hosts", "at least one host per worker");
  }
  if (!note.read().empty()) {
    return refuse(path, "the platform file has no route from " + note.read(),
                  "a route between any two hosts used is needed");
  }
  return refuse(path, "SimGrid refuses the platform file: " + with_name(last_words(log), path),
                "a SimGrid 3.32 platform file (version 4.1) is accepted");
}

}  // namespace

Result<void> try_platform_file(const std::string& path, const ChooseHosts& choose_hosts) {
  GRADSIM_TRY(text, read_platform(path));
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    return refuse(path, "cannot create a pipe to check the platform file: " + system_reason(),
                  "end other programs");
  SharedNote note;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0)
    return refuse(path, "cannot create a process to check the platform file: " + system_reason(),
                  "end other programs");
  if (child == 0) {
    close(ends[0]);
    load_and_leave(*text, choose_hosts, note, ends[1]);
  }
  close(ends[1]);
  const std::string log = all_of(ends[0]);
  close(ends[0]);
  int status = 0;
  files::retried([&] { return waitpid(child, &status, 0); });
  return judge(path, status, log, note);
}

}  // namespace sim::engine
