// Starts the SimGrid engine of this process.
#include "sim/engine/simgrid/engine.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <simgrid/s4u.hpp>

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

void SimGridEngine::load(const std::string& platform_file) const {
  errno = 0;
  try {
    engine_->load_platform(platform_file);
  } catch (const std::exception& error) {
    const int reason = errno;
    const std::string what = error.what();
    // SimGrid does not say why; of a file that it could open, the reason would be that of something else.
    if (reason == 0 || !what.starts_with("Unable to open")) throw;
    throw std::runtime_error(what + " " + std::generic_category().message(reason));
  }
}

void SimGridEngine::set_tcp(bool on, double grain) {
  constexpr double window = 4194304;
  constexpr double no_window = 1e30;
  simgrid::s4u::Engine::set_config("network/crosstraffic", on);
  simgrid::s4u::Engine::set_config("network/TCP-gamma", on ? window * grain : no_window);
}

}  // namespace sim::engine
