// Parses requests, and prints replies on one line each.
#include "sim/serve/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

ParsedLine not_a_request(ordered_json id, std::string why) {
  return {.request = std::nullopt,
          .id = std::move(id),
          .failure = {ErrorCode::not_a_request, std::move(why), nullptr}};
}

}  // namespace

std::string line_of(const ordered_json& message) {
  return message.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ParsedLine parse_request(std::string_view line) {
  ordered_json message = ordered_json::parse(line, nullptr, false);
  if (message.is_discarded())
    return {.request = std::nullopt,
            .failure = {ErrorCode::not_json, "the line is not JSON: write one request a line", nullptr}};
  if (!message.is_object()) return not_a_request(nullptr, "expected an object with `id` and `method`");
  ordered_json id = message.value("id", ordered_json());
  if (!id.is_null() && !id.is_number_integer() && !id.is_string())
    return not_a_request(nullptr, "`id`: expected a whole number or text");
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string())
    return not_a_request(std::move(id), "`method`: expected the name of a command, such as \"run\"");
  for (const auto& [name, value] : message.items()) {
    constexpr std::array<std::string_view, 4> known{"jsonrpc", "id", "method", "params"};
    if (std::ranges::find(known, name) == known.end())
      return not_a_request(std::move(id),
                           "`" + name + "`: unknown member; accepted: jsonrpc, id, method, params");
  }
  ordered_json params = message.value("params", ordered_json::object());
  if (!params.is_object()) return not_a_request(std::move(id), "`params`: expected an object");
  return {.request = Request{std::move(id), method->get<std::string>(), std::move(params)}};
}

std::string result_line(const ordered_json& id, const ordered_json& result) {
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string error_line(const ordered_json& id, const Failure& failure) {
  ordered_json error{{"code", static_cast<int>(failure.code)}, {"message", failure.message}};
  if (!failure.data.is_null()) error["data"] = failure.data;
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::string notification_line(std::string_view method, const ordered_json& params) {
  return line_of({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = bytes_.find('\n', begin_);
  if (end == std::string::npos) {
    bytes_.erase(0, std::exchange(begin_, 0));
    return std::nullopt;
  }
  std::string line = bytes_.substr(begin_, end - begin_);
  begin_ = end + 1;
  return line;
}

}  // namespace sim::serve
