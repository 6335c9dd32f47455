// A process that runs command lines for the server, one after another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "files/descriptor.hpp"
#include "sim/serve/message.hpp"

namespace sim::serve {

/// Asks the client of the running command for a decision, and waits for it.
/// @param question  members of the notification `decide`
/// @returns `decision`, or `error`
/// @throws std::runtime_error where the server is gone
using Ask = std::function<nlohmann::ordered_json(const nlohmann::ordered_json& question)>;

/// Runs one command, printing to std::cout and std::cerr. @returns its exit code
/// @param method  the command
/// @param params  as in the request
using RunCommand =
    std::function<int(const std::string& method, const nlohmann::ordered_json& params, const Ask& ask)>;

/// One worker, seen from the server.
///
/// The command's stdout comes back whole, with its exit code; its stderr comes line by line while it runs. A
/// worker ends after a command that loaded a module (SimGrid has one engine for the life of a process), and
/// the server starts the next from its own clean state.
class Worker {
 public:
  /// Forks, so this process must run no other thread.
  /// @param run      called in the child
  /// @param workers  that share the limit of memory
  /// @param others   descriptors that the child closes
  /// @throws std::runtime_error where the system gives no process, pipe or socket
  Worker(const RunCommand& run, std::size_t workers, const std::vector<int>& others);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Hands over a request; the worker must be idle.
  void begin(Request request);

  /// Request under way; nothing: idle.
  [[nodiscard]] const std::optional<Request>& current() const { return current_; }

  /// Request under way, which is over.
  Request end();

  /// Hands over the decision that the command waits for.
  void answer(const nlohmann::ordered_json& decision);

  /// Lines that the command printed to stderr since the last call.
  std::vector<std::string> read_log();

  /// Part of the reply that has arrived.
  struct Heard {
    std::optional<nlohmann::ordered_json> question;  ///< members of a notification `decide`
    std::optional<nlohmann::ordered_json> reply;     ///< `exit_code`, `output`, and whether it is the `last`
    bool ended = false;                              ///< the process is gone
  };
  Heard read_reply();

  /// Reason why the process ended, once it has: "was killed by signal 11 (Segmentation fault)".
  std::string reap();

  /// Ends the process at once.
  void stop();

  [[nodiscard]] int channel() const { return channel_.number(); }
  [[nodiscard]] int log() const { return log_.number(); }

 private:
  pid_t process_ = 0;
  files::Descriptor channel_;  ///< socket for requests and replies
  files::Descriptor log_;      ///< pipe of the child's stderr
  LineBuffer replies_;
  LineBuffer logged_;
  std::optional<Request> current_;
};

}  // namespace sim::serve
