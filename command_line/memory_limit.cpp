// Reads what memory there is and asks the system to keep to it.
#include "command_line/memory_limit.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>

namespace command_line {
namespace {

using netmodels::Bytes;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return std::nullopt;
  const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// /proc/self/cgroup of version 2 is one line, `0::/the/group`.
std::string own_group_limit() {
  const std::string line = content("/proc/self/cgroup");
  constexpr std::string_view begin = "0::";
  if (!line.starts_with(begin)) return {};
  const std::string group = line.substr(begin.size(), line.find('\n') - begin.size());
  return content("/sys/fs/cgroup" + group + "/memory.max");
}

void limit_to(Bytes most) {
#ifndef __SANITIZE_ADDRESS__  // the sanitizer's own tables are larger than every machine
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(most.count));
  setrlimit(RLIMIT_DATA, &limit);
#else
  (void)most;
#endif
}

}  // namespace

Bytes default_memory(const std::string& meminfo, const std::string& group) {
  constexpr double share = 0.8;
  constexpr double kibi = 1024;
  double least = std::numeric_limits<double>::infinity();
  const std::string name = "MemTotal:";
  const auto found = meminfo.find(name);
  if (found != std::string::npos)
    least = number(meminfo.substr(found + name.size())).value_or(least / kibi) * kibi;
  least = std::min(least, number(group).value_or(least));
  return Bytes{share * std::min(least, 1e18)};
}

void add_memory_limit(CLI::App& program) {
  limit_to(default_memory(content("/proc/meminfo"), own_group_limit()));
  program
      .add_option_function<std::string>(
          "--memory",
          [](const std::string& text) {
            const auto most = netmodels::parse<Bytes>(text);
            if (!most) throw CLI::ValidationError("--memory", most.error().text());
            limit_to(*most);
          },
          "limit of the memory used; default: 80 % of the machine's")
      ->trigger_on_parse()
      ->type_name("SIZE");
}

void share_memory(std::size_t processes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  limit_to(Bytes{static_cast<double>(limit.rlim_cur / std::max<std::size_t>(1, processes))});
}

std::string memory_message(std::size_t processes) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return "the system has no more memory";
  if (processes > 1) {
    return fmt::format(
        "more memory is needed than {}, which each of {} processes has of the limit; raise it by --memory",
        netmodels::print(Bytes{static_cast<double>(limit.rlim_cur)}, 3), processes);
  }
  return fmt::format("more memory is needed than the limit of {}; raise it by --memory",
                     netmodels::print(Bytes{static_cast<double>(limit.rlim_cur)}, 3));
}

}  // namespace command_line
