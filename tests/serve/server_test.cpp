// The server with commands of its own: concurrency, cancellation, crashes, wrong requests.
#include "sim/serve/server.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <new>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "files/module.hpp"

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

/// Runs forever, until it is killed.
[[noreturn]] void hang() {
  while (true) pause();
}

int run_command(const std::string& method, const ordered_json& params, const Ask& ask) {
  if (method == "ask") std::cout << ask({{"step", params.value("step", 0)}}).dump() << "\n";
  if (method == "hang") hang();
  if (method == "wait") usleep(50'000);
  if (method == "crash") std::raise(SIGKILL);
  if (method == "memory") throw std::bad_alloc();
  if (method == "leave") _exit(0);
  if (method == "echo") {
    std::string line;
    std::cin.clear();
    while (std::getline(std::cin, line)) std::cout << line << ";";
    std::cout << params.value("word", "") << "\n";
  }
  if (method == "process") std::cout << getpid() << "\n";
  if (method == "talk")
    std::cerr << "half way\n"
              << "warning: beware\n";
  return method == "refuse" ? 1 : 0;
}

/// Replies to lines that are all there at once, by id; notifications under null, messages of errors under
/// `errors`.
std::map<std::string, ordered_json> replies_to(const std::string& lines, std::size_t workers = 1) {
  static const ServerSettings settings{
      .run = run_command,
      .commands = {"hang", "wait", "crash", "memory", "leave", "echo", "process", "talk", "refuse", "ask"},
      .version = "9.9"};
  ServerSettings own = settings;
  own.workers = workers;
  own.longest_line = 1000;
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  EXPECT_EQ(pipe2(input.data(), O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(output.data(), O_CLOEXEC), 0);
  EXPECT_EQ(write(input[1], lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  close(input[1]);
  std::atomic<bool> stop{false};
  Server(own, input[0], output[1], stop).run();
  close(output[1]);
  close(input[0]);
  LineBuffer heard;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = read(output[0], buffer.data(), buffer.size())) > 0;)
    heard.append({buffer.data(), static_cast<std::size_t>(got)});
  close(output[0]);
  std::map<std::string, ordered_json> replies;
  while (const auto line = heard.next()) {
    ordered_json reply = ordered_json::parse(*line);
    const std::string id = reply.value("id", ordered_json()).dump();
    if (reply.contains("error")) replies["errors"].push_back(reply["error"]["message"]);
    replies[id] = std::move(reply);
  }
  return replies;
}

std::string request(int id, const std::string& method, const ordered_json& params = ordered_json::object()) {
  return ordered_json{{"id", id}, {"method", method}, {"params", params}}.dump() + "\n";
}

TEST(Server, AnswersWithWhatTheCommandPrinted) {
  const auto replies =
      replies_to(request(1, "echo", {{"input", "a\nb\n"}, {"word", "c"}}) + request(2, "echo"));
  EXPECT_EQ(replies.at("1")["result"]["output"], "a;b;c\n");
  EXPECT_EQ(replies.at("2")["result"]["output"], "\n") << "input of one request must not reach the next";
}

TEST(Server, OneWorkerAnswersManyRequestsInTheirOrder) {
  std::string lines;
  for (int id = 0; id < 9; ++id) lines += request(id, "process");
  const auto replies = replies_to(lines);
  ASSERT_EQ(replies.size(), 9U);
  for (const auto& [id, reply] : replies)
    EXPECT_EQ(reply["result"]["output"], replies.at("0")["result"]["output"]);
}

TEST(Server, ACrashCostsItsOwnRequestAlone) {
  const auto replies =
      replies_to(request(1, "crash") + request(2, "leave") + request(3, "memory") + request(4, "echo"));
  EXPECT_EQ(replies.at("1")["error"]["code"], -32003);
  EXPECT_EQ(replies.at("1")["error"]["message"], "the command's process was killed by signal 9 (Killed)");
  EXPECT_EQ(replies.at("2")["error"]["message"], "the command's process ended with exit code 0");
  EXPECT_THAT(replies.at("3")["error"]["message"].get<std::string>(), testing::HasSubstr("no more memory"));
  EXPECT_EQ(replies.at("4")["result"]["exit_code"], 0);
}

TEST(Server, ACancelledRequestEndsWhetherItRunsOrWaits) {
  const auto replies =
      replies_to(request(1, "hang") + request(2, "echo") + request(3, "cancel", {{"id", 2}}) +
                 request(4, "cancel", {{"id", 1}}) + request(5, "echo") + request(6, "cancel", {{"id", 99}}));
  EXPECT_EQ(replies.at("1")["error"]["message"], "cancelled");
  EXPECT_EQ(replies.at("1")["error"]["code"], -32800);
  EXPECT_EQ(replies.at("2")["error"]["code"], -32800);
  EXPECT_EQ(replies.at("3")["result"]["cancelled"], true);
  EXPECT_EQ(replies.at("5")["result"]["exit_code"], 0);
  EXPECT_EQ(replies.at("6")["result"]["cancelled"], false);
}

TEST(Server, ASecondWorkerAnswersWhileTheFirstHangs) {
  const auto replies =
      replies_to(request(1, "hang") + request(2, "echo") + request(3, "cancel", {{"id", 1}}), 2);
  EXPECT_EQ(replies.at("2")["result"]["exit_code"], 0);
}

TEST(Server, ProgressComesWhereItIsAskedForAndLinesStayWithTheReply) {
  const auto replies = replies_to(request(1, "talk", {{"progress", true}}));
  EXPECT_EQ(replies.at("null")["method"], "progress");
  EXPECT_EQ(replies.at("1")["result"]["warnings"][0], "beware");
  EXPECT_EQ(replies.at("1")["result"]["log"][0], "half way");
  EXPECT_FALSE(replies_to(request(1, "talk")).contains("null"));
}

/// A server on another process, which reads what the test writes.
class OtherServer {
 public:
  OtherServer() {
    EXPECT_EQ(pipe2(input_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(output_.data(), O_CLOEXEC), 0);
    process_ = fork();
    if (process_ != 0) {
      close(input_[0]);
      close(output_[1]);
      return;
    }
    close(input_[1]);
    const ServerSettings settings{.run = run_command, .commands = {"ask", "echo"}, .version = "9.9"};
    const std::atomic<bool> stop{false};
    Server(settings, input_[0], output_[1], stop).run();
    _exit(0);
  }
  ~OtherServer() {
    end_input();
    close(output_[0]);
    waitpid(process_, nullptr, 0);
  }
  OtherServer(const OtherServer&) = delete;
  OtherServer& operator=(const OtherServer&) = delete;

  void write_line(const std::string& line) const {
    EXPECT_EQ(write(input_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  void end_input() {
    if (input_[1] >= 0) close(input_[1]);
    input_[1] = -1;
  }

  ordered_json read_message() {
    std::array<char, 65536> buffer{};
    while (true) {
      if (const auto line = heard_.next()) return ordered_json::parse(*line);
      const ssize_t got = read(output_[0], buffer.data(), buffer.size());
      if (got <= 0) return nullptr;
      heard_.append({buffer.data(), static_cast<std::size_t>(got)});
    }
  }

 private:
  std::array<int, 2> input_{};
  std::array<int, 2> output_{};
  pid_t process_ = 0;
  LineBuffer heard_;
};

TEST(Server, ACommandAsksItsClientAndGetsTheDecision) {
  OtherServer server;
  server.write_line(request(7, "ask", {{"step", 3}}));
  EXPECT_EQ(server.read_message(), ordered_json::parse(R"({"jsonrpc": "2.0", "method": "decide", "params":
                                                           {"step": 3, "id": 7}})"));
  server.write_line(request(8, "decision", {{"id", 9}, {"decision", "x"}}));
  EXPECT_EQ(server.read_message()["result"]["taken"], false) << "no request 9";
  server.write_line(request(8, "decision", {{"id", 7}, {"decision", "stay_local"}}));
  EXPECT_EQ(server.read_message()["result"]["taken"], true);
  EXPECT_EQ(server.read_message()["result"]["output"], "{\"id\":7,\"decision\":\"stay_local\"}\n");
}

TEST(Server, AClientThatEndsLeavesNoCommandWaiting) {
  OtherServer server;
  server.write_line(request(7, "ask"));
  EXPECT_EQ(server.read_message()["method"], "decide");
  server.end_input();
  EXPECT_EQ(server.read_message()["result"]["output"],
            "{\"error\":\"the client has ended before it decided\"}\n");
  const auto replies = replies_to(request(1, "ask"));
  EXPECT_EQ(replies.at("1")["result"]["exit_code"], 0) << "it asks after the end of the input";
}

TEST(Server, AMemberOfAnotherTypeCostsItsOwnRequestAlone) {
  const auto replies = replies_to(request(1, "talk", {{"progress", "yes"}}) + request(2, "echo"));
  EXPECT_TRUE(replies.contains("1"));
  EXPECT_EQ(replies.at("2")["result"]["exit_code"], 0);
}

TEST(Server, WrongRequestsAreAnsweredAndServedOn) {
  const auto replies = replies_to("{\n" + request(1, "ecko") + request(2, "hang") + request(2, "echo") +
                                  request(3, "cancel", {{"id", 2}}) + request(4, "echo"));
  EXPECT_EQ(replies.at("null")["error"]["code"], -32700);
  EXPECT_EQ(replies.at("1")["error"]["message"],
            "unknown method `ecko`; did you mean `echo`? accepted: hang, wait, crash, memory, leave, echo, "
            "process, "
            "talk, refuse, ask");
  EXPECT_EQ(replies.at("4")["result"]["exit_code"], 0);
}

TEST(Server, AnIdIsNeededAndServesOneRequestAtATime) {
  EXPECT_EQ(replies_to(R"({"method":"echo"})").at("null")["error"]["message"],
            "`id`: missing: the reply would not be found");
  const auto replies = replies_to(request(2, "wait") + request(2, "echo"));
  EXPECT_EQ(replies.at("errors")[0], "`id`: another request with this id has no reply yet");
  EXPECT_EQ(replies.at("2")["result"]["exit_code"], 0) << "the first keeps its reply, which comes last";
}

TEST(Server, ALineThatIsTooLongEndsTheInput) {
  EXPECT_EQ(replies_to(std::string(2000, 'x')).at("null")["error"]["message"],
            "a line is longer than 1000 bytes");
}

TEST(Server, SaysItsVersionsAndItsMethods) {
  const auto info = replies_to(request(1, "info")).at("1")["result"];
  EXPECT_EQ(info["gradsim"], "9.9");
  EXPECT_EQ(info["protocol_version"], protocol_version);
  EXPECT_EQ(info["methods"][5], "echo");
}

}  // namespace
}  // namespace sim::serve
