// The ring's sockets and its schedules.
#include "tests/nccl_stub/stub_ring.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ifaddrs.h>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace stub {
namespace {

constexpr int patience_s = 5;

/// First address of the interface; 0.0.0.0 where there is none.
in_addr find_address() {
  const char* wanted = std::getenv("NCCL_SOCKET_IFNAME");
  ifaddrs* all = nullptr;
  in_addr found{};
  if (wanted == nullptr || getifaddrs(&all) != 0) return found;
  for (const ifaddrs* each = all; each != nullptr && found.s_addr == 0; each = each->ifa_next) {
    const bool fits = each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET;
    if (!fits || !std::string_view(each->ifa_name).starts_with(wanted)) continue;
    sockaddr_in address{};
    std::memcpy(&address, each->ifa_addr, sizeof address);
    found = address.sin_addr;
  }
  freeifaddrs(all);
  return found;
}

/// Of this copy of the library, as long as it is loaded.
in_addr own_address() {
  static const in_addr found = find_address();
  return found;
}

Socket new_socket() {
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  const timeval patience{patience_s, 0};
  setsockopt(made.file(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    setsockopt(made.file(), SOL_SOCKET, option, &patience, sizeof patience);
  return made;
}

std::string print(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(address.sin_port));
}

sockaddr_in parse(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const std::size_t colon = text.rfind(':');
  inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr);
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1)));
  return address;
}

/// @param address  where it listens; empty where it cannot
Socket listen_here(std::string& address) {
  Socket made = new_socket();
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr = own_address();
  socklen_t size = sizeof here;
  const bool listens = here.sin_addr.s_addr != 0 &&
                       bind(made.file(), reinterpret_cast<const sockaddr*>(&here), size) == 0 &&
                       listen(made.file(), 16) == 0 &&
                       getsockname(made.file(), reinterpret_cast<sockaddr*>(&here), &size) == 0;
  address = listens ? print(here) : "";
  return made;
}

Socket connect_to(const std::string& address) {
  Socket made = new_socket();
  const sockaddr_in there = parse(address);
  if (connect(made.file(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) return Socket();
  return made;
}

Socket accept_from(const Socket& listening) {
  Socket made(accept(listening.file(), nullptr, nullptr));
  const int on = 1;
  const timeval patience{patience_s, 0};
  setsockopt(made.file(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(made.file(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return made;
}

bool send_all(int file, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::send(file, data, bytes, MSG_NOSIGNAL);
    if (done <= 0) return false;
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool receive_all(int file, char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::recv(file, data, bytes, 0);
    if (done <= 0) return false;
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

/// What a rank tells the root, and the root a rank about the next one.
struct Report {
  int rank = 0;
  int ranks = 0;
  std::array<char, 32> address{};
};

Report report_of(int rank, int ranks, const std::string& address) {
  Report report{rank, ranks, {}};
  std::copy_n(address.c_str(), std::min(address.size(), report.address.size() - 1), report.address.begin());
  return report;
}

bool send_report(const Socket& to, const Report& report) {
  return send_all(to.file(), reinterpret_cast<const char*>(&report), sizeof report);
}

bool receive_report(const Socket& from, Report& report) {
  return receive_all(from.file(), reinterpret_cast<char*>(&report), sizeof report);
}

void serve_root(const Socket& listening) {
  std::vector<std::pair<Report, Socket>> ranks;
  do {
    Socket caller = accept_from(listening);
    Report report;
    if (caller.file() < 0 || !receive_report(caller, report)) return;
    ranks.emplace_back(report, std::move(caller));
  } while (ranks.size() < static_cast<std::size_t>(ranks.front().first.ranks));
  std::ranges::sort(ranks, {}, [](const auto& each) { return each.first.rank; });
  for (std::size_t i = 0; i < ranks.size(); ++i)
    send_report(ranks[i].second, ranks[(i + 1) % ranks.size()].first);
}

}  // namespace

Socket::~Socket() {
  if (file_ >= 0) close(file_);
}
Socket::Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

std::string start_root() {
  std::string address;
  Socket listening = listen_here(address);
  if (!address.empty()) std::thread([listening = std::move(listening)] { serve_root(listening); }).detach();
  return address;
}

std::unique_ptr<Ring> Ring::join(const std::string& root, int rank, int ranks) {
  std::unique_ptr<Ring> ring(new Ring(rank, ranks));
  std::string own;
  ring->listening_ = listen_here(own);
  const Socket to_root = own.empty() ? Socket() : connect_to(root);
  Report next;
  if (to_root.file() < 0 || !send_report(to_root, report_of(rank, ranks, own)) ||
      !receive_report(to_root, next))
    return nullptr;
  ring->next_address_ = next.address.data();
  return ring;
}

bool Ring::connect() {
  if (next_.file() >= 0) return true;
  next_ = connect_to(next_address_);
  if (next_.file() < 0) return false;
  previous_ = accept_from(listening_);
  return previous_.file() >= 0;
}

bool Ring::send(const char* data, std::size_t bytes) {
  return connect() && send_all(next_.file(), data, bytes);
}

bool Ring::receive(char* data, std::size_t bytes) {
  return connect() && receive_all(previous_.file(), data, bytes);
}

bool Ring::exchange(const char* sent, std::size_t sent_bytes, char* received, std::size_t received_bytes) {
  if (!connect()) return false;
  while (sent_bytes > 0 || received_bytes > 0) {
    std::array<pollfd, 2> ready{
        pollfd{next_.file(), static_cast<short>(sent_bytes > 0 ? POLLOUT : 0), 0},
        pollfd{previous_.file(), static_cast<short>(received_bytes > 0 ? POLLIN : 0), 0}};
    if (poll(ready.data(), ready.size(), 1000 * patience_s) <= 0) return false;
    if (sent_bytes > 0 && ready[0].revents != 0) {
      const ssize_t done = ::send(next_.file(), sent, sent_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (done <= 0) return false;
      sent += done;
      sent_bytes -= static_cast<std::size_t>(done);
    }
    if (received_bytes > 0 && ready[1].revents != 0) {
      const ssize_t done = ::recv(previous_.file(), received, received_bytes, MSG_DONTWAIT);
      if (done <= 0) return false;
      received += done;
      received_bytes -= static_cast<std::size_t>(done);
    }
  }
  return true;
}

bool Ring::all_reduce(const float* from, float* to, std::size_t count, bool largest) {
  const auto n = static_cast<std::size_t>(ranks_);
  const auto self = static_cast<std::size_t>(rank_);
  const auto first = [&](std::size_t chunk) { return chunk * count / n; };
  const auto words = [&](std::size_t chunk) { return first(chunk + 1) - first(chunk); };
  std::copy_n(from, count, to);
  std::vector<float> taken(count / n + 1);
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const std::size_t give = (self + n - step) % n, take = (self + 2 * n - step - 1) % n;
    if (!exchange(reinterpret_cast<const char*>(to + first(give)), 4 * words(give),
                  reinterpret_cast<char*>(taken.data()), 4 * words(take)))
      return false;
    for (std::size_t i = 0; i < words(take); ++i) {
      float& sum = to[first(take) + i];
      sum = largest ? std::max(sum, taken[i]) : sum + taken[i];
    }
  }
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const std::size_t give = (self + 1 + n - step) % n, take = (self + n - step) % n;
    if (!exchange(reinterpret_cast<const char*>(to + first(give)), 4 * words(give),
                  reinterpret_cast<char*>(to + first(take)), 4 * words(take)))
      return false;
  }
  return true;
}

bool Ring::all_gather(const char* from, char* to, std::size_t bytes) {
  const auto n = static_cast<std::size_t>(ranks_);
  const auto self = static_cast<std::size_t>(rank_);
  std::copy_n(from, bytes, to + self * bytes);
  for (std::size_t step = 0; step + 1 < n; ++step) {
    const std::size_t give = (self + n - step) % n, take = (self + 2 * n - step - 1) % n;
    if (!exchange(to + give * bytes, bytes, to + take * bytes, bytes)) return false;
  }
  return true;
}

bool Ring::broadcast(const char* from, char* to, std::size_t bytes, int root) {
  constexpr std::size_t chunk = 512 * 1024;  // as NCCL's chain
  const int place = (rank_ - root + ranks_) % ranks_;
  if (place == 0) std::copy_n(from, bytes, to);
  for (std::size_t at = 0; at < bytes; at += chunk) {
    const std::size_t part = std::min(chunk, bytes - at);
    if (place > 0 && !receive(to + at, part)) return false;
    if (place + 1 < ranks_ && !send(to + at, part)) return false;
  }
  return true;
}

}  // namespace stub
