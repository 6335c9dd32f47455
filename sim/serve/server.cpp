// The loop of the server: listens to the client and to workers, and hands out requests.
#include "sim/serve/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/output_format.hpp"
#include "netmodels/nearest.hpp"
#include "sim/serve/arguments.hpp"
#include "sim/serve/outcome.hpp"

namespace sim::serve {

using nlohmann::ordered_json;

namespace {

/// Answer to a command whose client writes no more.
ordered_json no_client() { return {{"error", "the client has ended before it decided"}}; }

}  // namespace

void Server::run() {
  while (!stop_ && (!ended_ || !waiting_.empty() || std::ranges::any_of(jobs_, [](const Job& job) {
    return job.worker.current().has_value();
  }))) {
    dispatch();
    listen();
  }
}

std::vector<int> Server::descriptors() const {
  std::vector<int> all;
  for (const Job& job : jobs_) {
    all.push_back(job.worker.channel());
    if (job.worker.log() >= 0) all.push_back(job.worker.log());
  }
  return all;
}

void Server::listen() {
  constexpr int longest_wait = 500;  // milliseconds, so that an interruption is seen
  std::vector<pollfd> polled;
  polled.push_back({ended_ ? -1 : input_, POLLIN, 0});
  for (const Job& job : jobs_) {
    polled.push_back({job.worker.log(), POLLIN, 0});
    polled.push_back({job.worker.channel(), POLLIN, 0});
  }
  if (poll(polled.data(), polled.size(), longest_wait) <= 0) return;
  auto heard = polled.begin() + 1;
  for (auto job = jobs_.begin(); job != jobs_.end(); heard += 2) {
    if (heard[0].revents != 0) hear_log(*job);
    const bool there = heard[1].revents == 0 || hear_reply(*job);
    job = there ? std::next(job) : jobs_.erase(job);
  }
  if (polled.front().revents != 0) read_input();
}

void Server::read_input() {
  std::array<char, 65536> buffer{};
  const ssize_t got = files::retried([&] { return read(input_, buffer.data(), buffer.size()); });
  if (got > 0) lines_.append({buffer.data(), static_cast<std::size_t>(got)});
  while (const auto line = lines_.next()) take_line(*line);
  if (lines_.rest().size() > settings_.longest_line) {
    write(error_line(nullptr,
                     {ErrorCode::not_a_request,
                      fmt::format("a line is longer than {} bytes", settings_.longest_line), nullptr}));
    return end_input();
  }
  if (got > 0) return;
  if (const std::string rest = lines_.rest(); !rest.empty()) take_line(rest);
  end_input();
}

void Server::end_input() {
  ended_ = true;
  for (Job& job : jobs_) {
    if (job.has_asked) answer(job, no_client());
  }
}

void Server::answer(Job& job, const ordered_json& decision) {
  job.has_asked = false;
  job.worker.answer(decision);
}

void Server::ask_client(Job& job, ordered_json question) {
  if (!job.worker.current()) return;
  if (ended_) return answer(job, no_client());
  job.has_asked = true;
  question["id"] = job.worker.current()->id;
  write(notification_line("decide", question));
}

void Server::decide(const Request& request) {
  const auto job = running(request.params.value("id", ordered_json()));
  const bool taken = job != jobs_.end() && job->has_asked;
  if (taken) answer(*job, request.params);
  if (!request.id.is_null()) write(result_line(request.id, {{"taken", taken}}));
}

void Server::take_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  ParsedLine parsed = parse_request(line);
  if (parsed.request)
    take(std::move(*parsed.request));
  else
    write(error_line(parsed.id, parsed.failure));
}

void Server::take(Request request) {
  if (request.method == "cancel") return cancel(request);
  if (request.method == "decision") return decide(request);
  if (request.id.is_null())
    return write(error_line(
        nullptr, {ErrorCode::not_a_request, "`id`: missing: the reply would not be found", nullptr}));
  if (is_known(request.id))
    return write(error_line(request.id, {ErrorCode::not_a_request,
                                         "`id`: another request with this id has no reply yet", nullptr}));
  if (request.method == "info") return write(result_line(request.id, info()));
  if (std::ranges::find(settings_.commands, request.method) == settings_.commands.end()) {
    std::vector<std::string_view> names(settings_.commands.begin(), settings_.commands.end());
    return write(error_line(request.id, {ErrorCode::unknown_method,
                                         fmt::format("unknown method `{}`; {}", request.method,
                                                     netmodels::accepted_names(request.method, names)),
                                         nullptr}));
  }
  waiting_.push_back(std::move(request));
}

Server::Jobs::iterator Server::running(const ordered_json& id) {
  return std::ranges::find_if(
      jobs_, [&](const Job& job) { return job.worker.current() && job.worker.current()->id == id; });
}

bool Server::is_known(const ordered_json& id) {
  return std::ranges::any_of(waiting_, [&](const Request& request) { return request.id == id; }) ||
         running(id) != jobs_.end();
}

void Server::cancel(const Request& request) {
  const ordered_json id = request.params.value("id", ordered_json());
  const bool found = !id.is_null() && (cancel_waiting(id) || cancel_running(id));
  if (!request.id.is_null()) write(result_line(request.id, {{"cancelled", found}}));
}

namespace {

Failure cancelled() { return {ErrorCode::cancelled, "cancelled", nullptr}; }

}  // namespace

bool Server::cancel_waiting(const ordered_json& id) {
  const auto found = std::ranges::find(waiting_, id, &Request::id);
  if (found == waiting_.end()) return false;
  waiting_.erase(found);
  write(error_line(id, cancelled()));
  return true;
}

bool Server::cancel_running(const ordered_json& id) {
  const auto found = running(id);
  if (found == jobs_.end()) return false;
  jobs_.erase(found);
  write(error_line(id, cancelled()));
  return true;
}

void Server::dispatch() {
  while (!waiting_.empty()) {
    const auto busy =
        std::ranges::count_if(jobs_, [](const Job& job) { return job.worker.current().has_value(); });
    if (static_cast<std::size_t>(busy) >= settings_.workers) return;
    Job& job = idle_job();
    job.log.clear();
    job.worker.begin(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

Server::Job& Server::idle_job() {
  const auto idle = std::ranges::find_if(jobs_, [](const Job& job) { return !job.worker.current(); });
  if (idle != jobs_.end()) return *idle;
  return jobs_.emplace_back(settings_.run, settings_.workers, descriptors());
}

void Server::hear_log(Job& job) {
  for (std::string& line : job.worker.read_log()) {
    const auto& request = job.worker.current();
    if (!request) continue;
    if (asks_for_progress(request->params))
      write(notification_line("progress", {{"id", request->id}, {"line", line}}));
    job.log.push_back(std::move(line));
  }
}

bool Server::hear_reply(Job& job) {
  Worker::Heard heard = job.worker.read_reply();
  if (heard.question) {
    ask_client(job, std::move(*heard.question));
    return true;
  }
  if (heard.reply || heard.ended) hear_log(job);  // all of it was written before
  if (heard.reply) {
    reply(job, *heard.reply);
    return !heard.reply->at("last").get<bool>();
  }
  if (!heard.ended) return true;
  const std::string why = job.worker.reap();
  if (job.worker.current()) {
    const Request request = job.worker.end();
    write(error_line(request.id,
                     {ErrorCode::failed, "the command's process " + why, ordered_json{{"log", job.log}}}));
  }
  return false;
}

void Server::reply(Job& job, const ordered_json& message) {
  const Request request = job.worker.end();
  const CommandOutcome outcome{message.at("exit_code").get<int>(), message.at("output").get<std::string>(),
                               job.log};
  if (const auto failure = failure_of(outcome))
    write(error_line(request.id, *failure));
  else
    write(result_line(request.id, result_of(outcome)));
}

void Server::write(const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = files::retried([&] { return ::write(output_, rest.data(), rest.size()); });
    if (written <= 0)
      throw std::runtime_error(std::string("replies cannot be written: ") + std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

ordered_json Server::info() const {
  return {{"gradsim", settings_.version},
          {"protocol_version", protocol_version},
          {"schema_version", command_line::json_schema_version},
          {"workers", settings_.workers},
          {"methods", settings_.commands}};
}

}  // namespace sim::serve
