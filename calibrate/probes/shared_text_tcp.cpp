// A shared text by TCP. A rank sends one line that names job, round and rank, gets the length of the text and
// the text, and sends one byte once it has it all.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "calibrate/probes/shared_text.hpp"
#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;

constexpr std::chrono::milliseconds between_tries(20);
constexpr std::chrono::seconds most_patience(5);  // limit for one connection
constexpr std::size_t length_digits = 20;
constexpr char has_it = '+';  // a rank's last byte

/// A socket that closes itself. No call on it waits.
class Socket {
 public:
  explicit Socket(int file) : file_(file) {}
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] bool good() const { return file_ >= 0; }

 private:
  int file_;
};

Socket made_for(const addrinfo& address) {
  return Socket(
      socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
}

class Addresses {
 public:
  Addresses(const MeetingPlace& place, bool to_listen) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = to_listen ? AI_PASSIVE : 0;
    const char* host = to_listen ? nullptr : place.host.c_str();
    const int failed = getaddrinfo(host, std::to_string(place.port).c_str(), &wanted, &first_);
    if (failed == EAI_AGAIN) first_ = nullptr;  // asked again
    if (failed != 0 && failed != EAI_AGAIN)
      throw std::runtime_error(fmt::format("{}: {}", place.host, gai_strerror(failed)));
  }
  ~Addresses() {
    if (first_ != nullptr) freeaddrinfo(first_);
  }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  Addresses(Addresses&&) = delete;
  Addresses& operator=(Addresses&&) = delete;
  [[nodiscard]] const addrinfo* first() const { return first_; }

 private:
  addrinfo* first_ = nullptr;
};

/// Waits for at least one. @returns false where the time was over; a signal does not end the wait
bool wait_for(std::vector<pollfd>& files, SteadyTime until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now()).count();
    if (left <= 0) return false;
    constexpr long long most_at_once = 1'000'000;
    const int found =
        poll(files.data(), files.size(), static_cast<int>(std::min<long long>(left, most_at_once)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

bool wait_for(int file, short event, SteadyTime until) {
  std::vector<pollfd> one{{file, event, 0}};
  return wait_for(one, until);
}

/// Whether a call would have had to wait, and can be made again.
bool is_early() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// Rank 0.

/// One family's wildcard address; nothing where this machine has no such addresses.
std::optional<Socket> listening_at(const addrinfo& address, int port) {
  Socket made = made_for(address);
  if (!made.good()) return std::nullopt;
  const int yes = 1;
  (void)setsockopt(made.file(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ai_family == AF_INET6)  // else it would take the other family's port, too
    (void)setsockopt(made.file(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (bind(made.file(), address.ai_addr, address.ai_addrlen) == 0 && listen(made.file(), SOMAXCONN) == 0)
    return made;
  if (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT) return std::nullopt;
  throw std::runtime_error(fmt::format("port {} cannot be listened on: {}", port, std::strerror(errno)));
}

std::vector<Socket> listening(const MeetingPlace& place) {
  const Addresses addresses(place, true);
  std::vector<Socket> made;
  for (const addrinfo* at = addresses.first(); at != nullptr; at = at->ai_next)
    if (auto one = listening_at(*at, place.port)) made.push_back(std::move(*one));
  if (made.empty())
    throw std::runtime_error(
        fmt::format("port {} cannot be listened on: no IPv4 or IPv6 address here", place.port));
  return made;
}

/// All but the rank, so that it is compared and not parsed.
std::string greeting_before_rank(const SharedRound& shared) {
  return fmt::format("gradsim id {} {} ", shared.rank.job.empty() ? "-" : shared.rank.job, shared.round);
}

/// A connection of a rank, or of another process.
struct Guest {
  Socket socket;
  SteadyTime until;
  int rank = -1;            ///< nothing known yet
  std::string said = {};    ///< line of the guest, as far as it came
  std::string unsent = {};  ///< rest of its answer
};

/// Serves all connections at once.
class Giver {
 public:
  Giver(const SharedRound& shared, const std::string& text)
      : shared_(shared),
        greeting_(greeting_before_rank(shared)),
        answer_(fmt::format("{:020}", text.size()) + text),
        doors_(listening(shared.place)),
        has_text_(static_cast<std::size_t>(shared.rank.ranks)) {
    has_text_[0] = true;
  }

  void run() {
    while (missing() > 0) {
      if (SteadyClock::now() >= shared_.until)
        throw std::runtime_error(fmt::format("{} of {} other ranks did not come to port {}", missing(),
                                             shared_.rank.ranks - 1, shared_.place.port));
      turn();
    }
  }

 private:
  [[nodiscard]] std::ptrdiff_t missing() const { return std::ranges::count(has_text_, false); }

  void turn() {
    constexpr std::chrono::milliseconds longest(100);  // then impatience with guests is looked at
    std::vector<pollfd> files;
    for (const Guest& guest : guests_)
      files.push_back({guest.socket.file(), static_cast<short>(guest.unsent.empty() ? POLLIN : POLLOUT), 0});
    for (const Socket& door : doors_) files.push_back({door.file(), POLLIN, 0});
    if (!wait_for(files, std::min(shared_.until, SteadyClock::now() + longest)))
      for (pollfd& file : files) file.revents = 0;
    std::vector<Guest> staying;
    for (std::size_t i = 0; i < guests_.size(); ++i) {
      const bool stays = files[i].revents == 0 ? SteadyClock::now() < guests_[i].until : serve(guests_[i]);
      if (stays) staying.push_back(std::move(guests_[i]));
    }
    guests_ = std::move(staying);
    for (const Socket& door : doors_) let_in(door);
  }

  void let_in(const Socket& door) {
    constexpr std::size_t spare = 64;
    while (guests_.size() < has_text_.size() + spare) {
      Socket made(accept4(door.file(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!made.good()) return;
      guests_.push_back({std::move(made), SteadyClock::now() + most_patience});
    }
  }

  /// @returns whether the connection goes on
  bool serve(Guest& guest) {
    if (guest.rank < 0) return listen_to(guest);
    if (!guest.unsent.empty()) return send_to(guest);
    char last = 0;
    const ssize_t got = recv(guest.socket.file(), &last, 1, 0);
    if (got < 0) return is_early();
    if (got == 1 && last == has_it) has_text_[static_cast<std::size_t>(guest.rank)] = true;
    return false;
  }

  bool listen_to(Guest& guest) {
    constexpr std::size_t most_line = 200;
    char bytes[most_line];
    const ssize_t got = recv(guest.socket.file(), bytes, sizeof bytes, 0);
    if (got < 0) return is_early();
    guest.said.append(bytes, static_cast<std::size_t>(got));
    if (got == 0 || guest.said.size() > most_line) return false;
    if (guest.said.back() != '\n') return true;
    if (!guest.said.starts_with(greeting_)) return false;  // greeting of another round or job
    const auto rank = files::read_integer(
        std::string_view(guest.said).substr(greeting_.size(), guest.said.size() - greeting_.size() - 1));
    if (!rank || *rank < 1 || *rank >= shared_.rank.ranks) return false;
    guest.rank = static_cast<int>(*rank);
    guest.unsent = answer_;
    return send_to(guest);
  }

  static bool send_to(Guest& guest) {
    const ssize_t done = send(guest.socket.file(), guest.unsent.data(), guest.unsent.size(), MSG_NOSIGNAL);
    if (done < 0) return is_early();
    guest.unsent.erase(0, static_cast<std::size_t>(done));
    return true;
  }

  const SharedRound& shared_;
  std::string greeting_, answer_;
  std::vector<Socket> doors_;
  std::vector<bool> has_text_;  ///< ranks that have the text
  std::vector<Guest> guests_;
};

// The other ranks.

/// @returns no socket where no process answers in time
Socket connected(const addrinfo& address, SteadyTime until) {
  Socket made = made_for(address);
  if (!made.good()) return made;
  if (connect(made.file(), address.ai_addr, address.ai_addrlen) == 0) return made;
  int failed = errno;
  socklen_t length = sizeof failed;
  const bool goes_on = failed == EINPROGRESS || failed == EINTR;
  if (!goes_on || !wait_for(made.file(), POLLOUT, until) ||
      getsockopt(made.file(), SOL_SOCKET, SO_ERROR, &failed, &length) != 0 || failed != 0)
    return Socket(-1);
  return made;
}

bool send_all(int file, std::string_view text, SteadyTime until) {
  while (!text.empty()) {
    const ssize_t done = send(file, text.data(), text.size(), MSG_NOSIGNAL);
    if (done < 0 && (!is_early() || !wait_for(file, POLLOUT, until))) return false;
    if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// @returns nothing where the other end closed, or the time was over
std::optional<std::string> received(int file, std::size_t bytes, SteadyTime until) {
  std::string text(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    const ssize_t more = recv(file, text.data() + have, bytes - have, 0);
    if (more == 0 || (more < 0 && (!is_early() || !wait_for(file, POLLIN, until)))) return std::nullopt;
    if (more > 0) have += static_cast<std::size_t>(more);
  }
  return text;
}

/// Asks the process that listens at one address.
std::optional<std::string> ask(const addrinfo& address, const SharedRound& shared) {
  const SteadyTime until = std::min(shared.until, SteadyClock::now() + most_patience);
  const Socket host = connected(address, until);
  const std::string line = fmt::format("{}{}\n", greeting_before_rank(shared), shared.rank.rank);
  if (!host.good() || !send_all(host.file(), line, until)) return std::nullopt;
  const auto length = received(host.file(), length_digits, until);
  const auto bytes = length ? files::read_integer(*length) : std::nullopt;
  if (!bytes || *bytes < 0 || static_cast<std::size_t>(*bytes) > most_shared_bytes) return std::nullopt;
  auto text = received(host.file(), static_cast<std::size_t>(*bytes), until);
  if (!text || !send_all(host.file(), {&has_it, 1}, until)) return std::nullopt;
  return text;
}

}  // namespace

void give_by_tcp(const SharedRound& shared, const std::string& text) { Giver(shared, text).run(); }

/// Takes the text; asks again while no process, or another one, listens there.
std::string take_by_tcp(const SharedRound& shared) {
  for (; SteadyClock::now() < shared.until; std::this_thread::sleep_for(between_tries)) {
    const Addresses addresses(shared.place, false);
    for (const addrinfo* at = addresses.first(); at != nullptr; at = at->ai_next)
      if (auto text = ask(*at, shared)) return std::move(*text);
  }
  throw std::runtime_error(
      fmt::format("rank 0 did not answer at {}:{}", shared.place.host, shared.place.port));
}

}  // namespace calibrate::probes
