// Messages of `sim serve`: JSON-RPC 2.0, one message a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sim::serve {

/// Counted up when a member of a message is removed or changes its meaning.
constexpr int protocol_version = 1;

/// A question of the client.
struct Request {
  nlohmann::ordered_json id;      ///< a number or text; null: a notification, which gets no reply
  std::string method;             ///< a command of the program, or a method of the server itself
  nlohmann::ordered_json params;  ///< an object, empty where the request has none
};

/// Code of an error. Those of the JSON-RPC 2.0 specification, section 5.1, and four of our own.
enum class ErrorCode {
  not_json = -32700,
  not_a_request = -32600,
  unknown_method = -32601,
  wrong_params = -32602,
  refused = -32001,    ///< wrong input: exit code 1 of the command
  failed = -32003,     ///< device or system: exit code 3, or the process ended
  cancelled = -32800,  ///< as in the Language Server Protocol
};

/// Error in place of a result.
struct Failure {
  ErrorCode code = ErrorCode::failed;
  std::string message;
  nlohmann::ordered_json data = nullptr;  ///< null: none
};

/// A line that was read: a request, or the reason why it is none, with the id where one was found.
struct ParsedLine {
  std::optional<Request> request;
  nlohmann::ordered_json id = nullptr;
  Failure failure{};
};

/// Reads one line. Batches (lists of requests) are refused: lines are the batch.
ParsedLine parse_request(std::string_view line);

/// A message as a line; bytes that are not UTF-8, in a file's name for example, are replaced.
std::string line_of(const nlohmann::ordered_json& message);

/// Reply with a result, as a line.
std::string result_line(const nlohmann::ordered_json& id, const nlohmann::ordered_json& result);

/// Reply with an error, as a line.
std::string error_line(const nlohmann::ordered_json& id, const Failure& failure);

/// Notification of the server, as a line.
std::string notification_line(std::string_view method, const nlohmann::ordered_json& params);

/// Cuts a stream of bytes into lines.
class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }

  /// The next whole line without its end; nothing until there is one.
  std::optional<std::string> next();

  /// Rest behind the last line end.
  [[nodiscard]] std::string rest() const { return bytes_.substr(begin_); }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;  ///< first byte that was not yet returned
};

}  // namespace sim::serve
