// Facts of the machine as reported by Linux.
#include "calibrate/probes/host_facts.hpp"

#include <fstream>
#include <thread>

#include <sys/utsname.h>

#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return std::string(files::trimmed(line.substr(line.find(':') + 1)));
  }
  return {};
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts{processor_name(),
                  {},
                  first_line("/proc/sys/kernel/random/boot_id"),
                  std::thread::hardware_concurrency()};
  utsname system{};
  if (uname(&system) == 0) facts.kernel = std::string(system.sysname) + " " + system.release;
  return facts;
}

}  // namespace calibrate::probes
