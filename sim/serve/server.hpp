// The server of `sim serve`: requests in, replies out, commands on worker processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "sim/serve/message.hpp"
#include "sim/serve/worker.hpp"

namespace sim::serve {

/// Offer of a server, and its limits.
struct ServerSettings {
  RunCommand run;                     ///< runs one command, in a worker
  std::vector<std::string> commands;  ///< methods that `run` takes
  std::string version;                ///< version of gradsim
  std::size_t workers = 1;            ///< commands at a time, at least 1; they share the limit of memory
  std::size_t longest_line = std::size_t{64} << 20U;  ///< bytes of a request
};

/// Serves until its input ends and every request has its reply.
///
/// Replies come in the order in which commands end. Methods of the server itself: `info` (versions and
/// methods), `cancel` (ends the request whose `id` is given; it is answered with an error) and `decision`
/// (the answer to the notification `decide` of a command that asks its client).
class Server {
 public:
  /// @param input, output  descriptors
  /// @param stop           raised: running commands are ended, and nothing more is answered
  Server(const ServerSettings& settings, int input, int output, const std::atomic<bool>& stop)
      : settings_(settings), input_(input), output_(output), stop_(stop) {}

  /// @throws std::runtime_error where replies cannot be written, or the system gives no more processes
  void run();

 private:
  struct Job {
    Worker worker;
    std::vector<std::string> log = {};  ///< lines of the command under way
    bool has_asked = false;             ///< the command waits for a decision

    Job(const RunCommand& run, std::size_t workers, const std::vector<int>& others)
        : worker(run, workers, others) {}
  };
  using Jobs = std::list<Job>;

  void listen();
  void read_input();
  void take_line(std::string_view line);
  void take(Request request);
  void cancel(const Request& request);
  void decide(const Request& request);
  bool cancel_waiting(const nlohmann::ordered_json& id);
  bool cancel_running(const nlohmann::ordered_json& id);
  [[nodiscard]] Jobs::iterator running(const nlohmann::ordered_json& id);
  [[nodiscard]] bool is_known(const nlohmann::ordered_json& id);
  void dispatch();
  Job& idle_job();
  void hear_log(Job& job);
  void ask_client(Job& job, nlohmann::ordered_json question);
  void answer(Job& job, const nlohmann::ordered_json& decision);
  void end_input();
  /// @returns whether the worker is still there
  bool hear_reply(Job& job);
  void reply(Job& job, const nlohmann::ordered_json& message);
  void write(const std::string& line);
  [[nodiscard]] std::vector<int> descriptors() const;
  [[nodiscard]] nlohmann::ordered_json info() const;

  const ServerSettings& settings_;
  int input_;
  int output_;
  const std::atomic<bool>& stop_;
  bool ended_ = false;  ///< no more input
  LineBuffer lines_;
  std::deque<Request> waiting_;
  Jobs jobs_;
};

}  // namespace sim::serve
