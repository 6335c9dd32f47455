// Starts the SimGrid engine of this process.
#include "sim/engine/simgrid/engine.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <simgrid/s4u.hpp>
#include <sys/mman.h>

#include "files/descriptor.hpp"

namespace sim::engine {

namespace {

// surf/precision: events closer than this many seconds are merged; the default of 1 ns ends heterogeneous
// rings early.
constexpr std::array options{"sim",
                             "--cfg=network/model:CM02",
                             "--cfg=network/crosstraffic:0",
                             "--cfg=network/TCP-gamma:1e30",
                             "--cfg=surf/precision:1e-12",
                             "--log=root.thres:error"};

/// SimGrid installs its own Ctrl-C handler, which ends the program; the previous handler is restored.
class KeepInterruption {
 public:
  KeepInterruption() { sigaction(SIGINT, nullptr, &before_); }
  ~KeepInterruption() { sigaction(SIGINT, &before_, nullptr); }
  KeepInterruption(const KeepInterruption&) = delete;
  KeepInterruption& operator=(const KeepInterruption&) = delete;

 private:
  struct sigaction before_ {};
};

std::unique_ptr<simgrid::s4u::Engine> start() {
  const KeepInterruption keep;
  std::vector<std::string> texts(options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  int count = static_cast<int>(arguments.size());
  return std::make_unique<simgrid::s4u::Engine>(&count, arguments.data());
}

}  // namespace

SimGridEngine::SimGridEngine() : engine_(start()) {}
SimGridEngine::~SimGridEngine() = default;

void SimGridEngine::load(const std::string& platform) const {
  const files::Descriptor file(memfd_create("platform", MFD_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), "memory for a platform file");
  for (std::size_t written = 0; written < platform.size();) {
    const ssize_t more = files::retried(
        [&] { return write(file.number(), platform.data() + written, platform.size() - written); });
    if (more < 0) throw std::system_error(errno, std::generic_category(), "memory for a platform file");
    written += static_cast<std::size_t>(more);
  }
  engine_->load_platform(loaded_prefix + std::to_string(file.number()));
}

void SimGridEngine::set_tcp(bool on, double grain) {
  constexpr double window = 4194304;
  constexpr double no_window = 1e30;
  simgrid::s4u::Engine::set_config("network/crosstraffic", on);
  simgrid::s4u::Engine::set_config("network/TCP-gamma", on ? window * grain : no_window);
}

}  // namespace sim::engine
