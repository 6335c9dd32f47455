// SimGrid's engine, configured the way every evaluation needs it.
#pragma once

#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
}  // namespace simgrid::s4u

namespace sim::engine {

/// Owns the one engine of the process. Flows are shared max-min fairly and see bandwidth only (model CM02
/// without latencies, TCP window or reverse traffic unless asked for), so that presets and latencies stay in
/// our hands and hold exactly.
class SimGridEngine {
 public:
  SimGridEngine();
  ~SimGridEngine();
  SimGridEngine(const SimGridEngine&) = delete;
  SimGridEngine& operator=(const SimGridEngine&) = delete;

  /// @param platform  the text of a platform file, as `read_platform` accepts it
  void load(const std::string& platform) const;
  /// What SimGrid's words name in place of the file that the text is from, before a number.
  static constexpr const char* loaded_prefix = "/proc/self/fd/";

  /// TCP as CM02 has it: 5 % of each flow is charged to the way back, and a flow moves at most a window of 4
  /// MiB, SimGrid's default, per round trip. Without it neither holds.
  /// @param grain  units of payload per byte
  static void set_tcp(bool on, double grain);

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
};

}  // namespace sim::engine
