// Launchers' variables; a text by file or by TCP.
#include "calibrate/probes/job_rank.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <netdb.h>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "files/output_file.hpp"
#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using netmodels::refuse;
using netmodels::Result;

/// The variables of one launcher; one without a name is not set by it.
struct Launcher {
  const char* name;
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* local_ranks;
};

constexpr std::array launchers{
    Launcher{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    Launcher{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
             "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Launcher{"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    Launcher{"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr},
};

constexpr long long most_ranks = 1'000'000;

Result<int> read_count(const Variable& variable, const char* name, long long least, long long most) {
  const char* text = variable(name);
  const auto number = text == nullptr ? std::nullopt : files::read_integer(text);
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  return refuse(name, text == nullptr ? "it is not set" : fmt::format("`{}`", text),
                fmt::format("accepted: {} to {}; start all ranks by one launcher", least, most));
}

Result<JobRank> read_of(const Launcher& launcher, const Variable& variable) {
  JobRank job;
  job.launcher = launcher.name;
  GRADSIM_TRY(ranks, read_count(variable, launcher.ranks, 1, most_ranks));
  GRADSIM_TRY(rank, read_count(variable, launcher.rank, 0, *ranks - 1));
  GRADSIM_TRY(local_rank, read_count(variable, launcher.local_rank, 0, *ranks - 1));
  job.ranks = *ranks;
  job.rank = *rank;
  job.local_rank = *local_rank;
  if (launcher.local_ranks == nullptr || variable(launcher.local_ranks) == nullptr) return job;
  GRADSIM_TRY(local_ranks, read_count(variable, launcher.local_ranks, *local_rank + 1, *ranks));
  job.local_ranks = *local_ranks;
  return job;
}

constexpr std::chrono::milliseconds between_looks(20);

/// A socket that closes itself.
class Socket {
 public:
  explicit Socket(int file) : file_(file) {}
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] bool good() const { return file_ >= 0; }

 private:
  int file_;
};

class Addresses {
 public:
  Addresses(const MeetingPlace& place, bool to_listen) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = to_listen ? AI_PASSIVE : 0;
    const char* host = to_listen ? nullptr : place.host.c_str();
    const int failed = getaddrinfo(host, std::to_string(place.port).c_str(), &wanted, &first_);
    if (failed != 0) throw std::runtime_error(fmt::format("{}: {}", place.host, gai_strerror(failed)));
  }
  ~Addresses() { freeaddrinfo(first_); }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  Addresses(Addresses&&) = delete;
  Addresses& operator=(Addresses&&) = delete;
  [[nodiscard]] const addrinfo* first() const { return first_; }

 private:
  addrinfo* first_ = nullptr;
};

Socket listening(const MeetingPlace& place) {
  const Addresses addresses(place, true);
  for (const addrinfo* at = addresses.first(); at != nullptr; at = at->ai_next) {
    Socket made(socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    const int yes = 1;
    if (!made.good() || setsockopt(made.file(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) continue;
    if (bind(made.file(), at->ai_addr, at->ai_addrlen) == 0 && listen(made.file(), SOMAXCONN) == 0)
      return made;
  }
  throw std::runtime_error(
      fmt::format("port {} cannot be listened on: {}", place.port, std::strerror(errno)));
}

Socket connected(const MeetingPlace& place) {
  const Addresses addresses(place, false);
  for (const addrinfo* at = addresses.first(); at != nullptr; at = at->ai_next) {
    Socket made(socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    if (made.good() && connect(made.file(), at->ai_addr, at->ai_addrlen) == 0) return made;
  }
  return Socket(-1);
}

bool arrives(int file, Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd wanted{file, POLLIN, 0};
  return left > 0 && poll(&wanted, 1, static_cast<int>(left)) > 0;
}

/// @returns nothing where the other end closed, or the time was over
std::optional<std::string> received(int file, std::size_t bytes, Clock::time_point until) {
  std::string text(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    if (!arrives(file, until)) return std::nullopt;
    const ssize_t more = recv(file, text.data() + have, bytes - have, 0);
    if (more <= 0) return std::nullopt;
    have += static_cast<std::size_t>(more);
  }
  return text;
}

bool sent(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = send(file, text.data(), text.size(), MSG_NOSIGNAL);
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

constexpr std::size_t round_digits = 20;

/// Asked by others for the round; its length precedes the text.
std::string padded(std::uint64_t number) { return fmt::format("{:020}", number); }

void give_by_tcp(const MeetingPlace& place, int others, std::uint64_t round, const std::string& text,
                 Clock::time_point until) {
  const Socket door = listening(place);
  for (int given = 0; given < others;) {
    if (!arrives(door.file(), until))
      throw std::runtime_error(
          fmt::format("{} of {} other ranks did not come to port {}", others - given, others, place.port));
    const Socket guest(accept4(door.file(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!guest.good() || received(guest.file(), round_digits, until) != padded(round)) continue;
    if (sent(guest.file(), padded(text.size()) + text)) ++given;
  }
}

/// Where nobody listens yet, or for another round, it asks again.
std::string take_by_tcp(const MeetingPlace& place, std::uint64_t round, Clock::time_point until) {
  for (; Clock::now() < until; std::this_thread::sleep_for(between_looks)) {
    const Socket host = connected(place);
    if (!host.good() || !sent(host.file(), padded(round))) continue;
    const auto length = received(host.file(), round_digits, until);
    const auto bytes = length ? files::read_integer(*length) : std::nullopt;
    if (!bytes) continue;
    if (auto text = received(host.file(), static_cast<std::size_t>(*bytes), until)) return std::move(*text);
  }
  throw std::runtime_error(fmt::format("rank 0 did not answer at {}:{}", place.host, place.port));
}

std::string take_by_file(const fs::path& file, Clock::time_point until) {
  for (; Clock::now() < until; std::this_thread::sleep_for(between_looks)) {
    std::ifstream found(file, std::ios::binary);
    if (found) return {std::istreambuf_iterator<char>(found), {}};
  }
  throw std::runtime_error(fmt::format("rank 0 did not write {}", file.string()));
}

}  // namespace

Result<std::optional<JobRank>> read_job_rank(const Variable& variable) {
  for (const Launcher& launcher : launchers) {
    if (variable(launcher.rank) == nullptr || variable(launcher.ranks) == nullptr) continue;
    GRADSIM_TRY(job, read_of(launcher, variable));
    return std::optional(*job);
  }
  return std::optional<JobRank>{};
}

Result<MeetingPlace> read_meeting_place(std::string_view text) {
  if (text.empty())
    return refuse("--id", "an empty place", "write a file that all ranks see, or HOST:PORT of rank 0");
  const std::size_t colon = text.rfind(':');
  const bool is_file = colon == std::string_view::npos || text.find('/') != std::string_view::npos;
  if (is_file) return MeetingPlace{std::string(text), "", 0};
  constexpr long long most_port = 65535;
  const auto port = files::read_integer(text.substr(colon + 1));
  if (!port || *port < 1 || *port > most_port || colon == 0)
    return refuse("--id", fmt::format("`{}`", text),
                  "write HOST:PORT with a port from 1 to 65535, or a file with its folder");
  return MeetingPlace{"", std::string(text.substr(0, colon)), static_cast<int>(*port)};
}

std::string share_text(const MeetingPlace& place, const JobRank& rank, std::uint64_t round,
                       const std::string& text, netmodels::Seconds limit) {
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit.count));
  if (!place.file.empty()) {
    const fs::path file = fmt::format("{}.{}", place.file, round);
    if (rank.rank != 0) return take_by_file(file, until);
    if (fs::exists(file))
      throw std::runtime_error(
          fmt::format("{} is there already; name a new file for each job", file.string()));
    files::write_file(file, text);
    return text;
  }
  if (rank.rank != 0) return take_by_tcp(place, round, until);
  give_by_tcp(place, rank.ranks - 1, round, text, until);
  return text;
}

}  // namespace calibrate::probes
