// A text for all ranks, by file and by TCP, and what must not disturb it.
#include "calibrate/probes/shared_text.hpp"

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

using testing::EndsWith;
using testing::StartsWith;

constexpr netmodels::Seconds patience{200};

std::string place_of(std::string_view text) {
  const auto place = read_meeting_place(text);
  if (!place) return place.error().text();
  return place->file.empty() ? place->host + " " + std::to_string(place->port) : "file " + place->file;
}

TEST(MeetingPlace, IsAFileOrAnAddress) {
  EXPECT_EQ(place_of("/shared/id"), "file /shared/id");
  EXPECT_EQ(place_of("id"), "file id");
  EXPECT_EQ(place_of("node1:29500"), "node1 29500");
  EXPECT_EQ(place_of("/a:b/id"), "file /a:b/id");
  EXPECT_EQ(place_of("[::1]:29500"), "::1 29500");
  EXPECT_EQ(place_of("[fe80::1%eth0]:29500"), "fe80::1%eth0 29500");
  const std::string accepted =
      "; write HOST:PORT, or [ADDRESS]:PORT for an IPv6 address, with a port from 1 to 65535, or a file with "
      "its folder";
  for (const std::string wrong :
       {"node1:0", "node1:65536", ":29500", "::1:29500", "[::1]", "[]:29500", "[::1:29500"})
    EXPECT_EQ(place_of(wrong), "--id: `" + wrong + "`" + accepted);
  EXPECT_EQ(place_of(""), "--id: an empty place; write a file that all ranks see, or HOST:PORT of rank 0");
}

JobRank rank_of_three(int rank, const std::string& job = "") { return {"torchrun", rank, 3, rank, 3, job}; }

std::string text_of_round(std::uint64_t round) { return std::string(128, round == 0 ? 'a' : '\0'); }

/// What each of three ranks gets in some rounds.
std::vector<std::string> shared_texts(const MeetingPlace& place, std::uint64_t rounds,
                                      const std::string& job = "") {
  std::vector<std::string> got(3 * rounds);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      for (std::uint64_t round = 0; round < rounds; ++round)
        got[static_cast<std::size_t>(rank) * rounds + round] = share_text(
            place, rank_of_three(rank, job), round, rank == 0 ? text_of_round(round) : "", patience);
    });
  }
  threads.clear();
  return got;
}

const std::vector<std::string> one_round(3, text_of_round(0));
const std::vector<std::string> two_rounds{text_of_round(0), text_of_round(1), text_of_round(0),
                                          text_of_round(1), text_of_round(0), text_of_round(1)};

/// Why a rank of two gets or gives nothing.
std::string failure_of(const MeetingPlace& place, int rank, double seconds, const std::string& text = "") {
  try {
    share_text(place, {"torchrun", rank, 2, rank, 2}, 0, text, netmodels::Seconds{seconds});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "came";
}

TEST(SharedFile, ComesRoundByRoundAndIsRemoved) {
  const tests::ScratchFolder scratch;
  EXPECT_EQ(shared_texts({(scratch / "id").string(), "", 0}, 2, "77"), two_rounds);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(SharedFile, OfAnEarlierJobIsNotTaken) {
  const tests::ScratchFolder scratch;
  const std::string line = "gradsim id of job `77` of 3 ranks\n";
  scratch.write("id.0", line + " 0123456789abcdef 0123456789abcdef\nan earlier job's");
  scratch.write("id.0.ask1", line + "0123456789abcdef");
  scratch.write("id.0.ask2", "gradsim id of job `76` of 3 ranks\n0123456789abcdef");
  EXPECT_EQ(shared_texts({(scratch / "id").string(), "", 0}, 1, "77"), one_round);
}

TEST(SharedFile, OfAnEarlierJobLeavesALoneRankWaiting) {
  const tests::ScratchFolder scratch;
  scratch.write("id.0", "gradsim id of job `` of 2 ranks\n 0123456789abcdef\nan earlier job's");
  const MeetingPlace place{(scratch / "id").string(), "", 0};
  EXPECT_THAT(failure_of(place, 1, 0.1), StartsWith("rank 0 did not write "));
  EXPECT_THAT(failure_of(place, 0, 0.1), StartsWith("1 of 1 other ranks did not come to "));
}

TEST(SharedFile, OfSomebodyElseIsKept) {
  const tests::ScratchFolder scratch;
  scratch.write("notes.0", "not an id");
  EXPECT_THAT(failure_of({(scratch / "notes").string(), "", 0}, 0, 0.1),
              EndsWith("notes.0 is there already and is not a file of ids; name another by --id"));
  EXPECT_EQ(tests::text_of((scratch / "notes.0").string()), "not an id");
}

TEST(SharedText, HasAGreatestLength) {
  const tests::ScratchFolder scratch;
  EXPECT_EQ(failure_of({(scratch / "id").string(), "", 0}, 0, 0.1, std::string(65537, 'x')),
            "a shared text of 65537 bytes; accepted: at most 65536");
}

/// A socket that is closed at the end of the test.
class Connection {
 public:
  explicit Connection(int file) : file_(file) {}
  ~Connection() { close(file_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int port_of(int file) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  EXPECT_EQ(getsockname(file, reinterpret_cast<sockaddr*>(&address), &length), 0);
  return ntohs(address.sin_port);
}

/// A bound socket, at any port.
int bound() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(0);
  EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return made;
}

/// A port that nobody listens on.
int free_port() { return port_of(Connection(bound()).file()); }

/// Connects until somebody listens, and says something.
int guest_of(int port, const std::string& said) {
  const sockaddr_in address = loopback(port);
  for (;;) {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      EXPECT_EQ(send(made, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
      return made;
    }
    close(made);
    usleep(1000);
  }
}

TEST(SharedByTcp, ComesRoundByRound) {
  EXPECT_EQ(shared_texts({"", "localhost", free_port()}, 2, "77"), two_rounds);
}

TEST(SharedByTcp, ComesToEitherFamilyOfAddresses) {
  EXPECT_EQ(shared_texts({"", "127.0.0.1", free_port()}, 1), one_round);
  const Connection six(socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  if (six.file() < 0 || bind(six.file(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    GTEST_SKIP() << "skipped: this machine has no IPv6 loopback";
  EXPECT_EQ(shared_texts({"", "::1", free_port()}, 1), one_round);
}

/// Rank 0 of three, in a thread, at a free port.
struct Host {
  int port = free_port();
  std::string failure = "none";
  std::jthread thread = std::jthread([this] {
    try {
      share_text({"", "localhost", port}, rank_of_three(0), 0, text_of_round(0), patience);
    } catch (const std::runtime_error& error) {
      failure = error.what();
    }
  });

  std::string taken_by(int rank) const {
    return share_text({"", "127.0.0.1", port}, rank_of_three(rank), 0, "", patience);
  }
};

TEST(SharedByTcp, IsNotHeldUpByOtherConnections) {
  Host host;
  const Connection silent(guest_of(host.port, "")), other_job(guest_of(host.port, "gradsim id 78 0 1\n"));
  const Connection stranger(guest_of(host.port, "GET / HTTP/1.1\r\n\r\n"));
  const Connection endless(guest_of(host.port, std::string(100'000, 'x')));
  EXPECT_EQ(host.taken_by(1), text_of_round(0));
  EXPECT_EQ(host.taken_by(2), text_of_round(0));
  host.thread.join();
  EXPECT_EQ(host.failure, "none");
}

TEST(SharedByTcp, CountsARankThatAsksTwiceOnce) {
  Host host;
  for (int time = 0; time < 3; ++time) {  // it goes away before it has the text
    const Connection lost(guest_of(host.port, "gradsim id - 0 1\n"));
    char byte = 0;
    EXPECT_EQ(recv(lost.file(), &byte, 1, 0), 1);
  }
  EXPECT_EQ(host.taken_by(2), text_of_round(0));
  EXPECT_EQ(host.taken_by(1), text_of_round(0));
  host.thread.join();
  EXPECT_EQ(host.failure, "none");
}

void ignore_signal(int) {}

TEST(SharedByTcp, OutlastsSignals) {
  struct sigaction action {};
  action.sa_handler = ignore_signal;  // without SA_RESTART: calls of the system end early
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 2000}, {0, 2000}}, never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  const int port = free_port();
  std::string taken;
  {
    const std::jthread other([&] {
      taken = share_text({"", "localhost", port}, {"srun", 1, 2, 0, 1}, 0, "", patience);
    });
    usleep(20'000);
    EXPECT_EQ(share_text({"", "localhost", port}, {"srun", 0, 2, 0, 1}, 0, "text", patience), "text");
  }
  EXPECT_EQ(failure_of({"", "localhost", free_port()}, 0, 0.1).substr(0, 6), "1 of 1");
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(taken, "text");
}

TEST(SharedByTcp, EndsItsWaitForAConnectionThatNobodyAccepts) {
  const Connection door(bound());
  ASSERT_EQ(listen(door.file(), 0), 0);
  const int port = port_of(door.file());
  std::vector<int> waiting;  // fill the queue: further connections are not answered
  const sockaddr_in address = loopback(port);
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    (void)connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  EXPECT_EQ(failure_of({"", "127.0.0.1", port}, 1, 0.2),
            "rank 0 did not answer at 127.0.0.1:" + std::to_string(port));
  for (const int file : waiting) close(file);
}

TEST(SharedByTcp, TakesNoTextOfAnAnnouncedLengthBeyondTheGreatest) {
  const Connection door(bound());
  ASSERT_EQ(listen(door.file(), 8), 0);
  std::jthread host([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      const int guest = accept(door.file(), nullptr, nullptr);
      (void)send(guest, "09223372036854775807", 20, MSG_NOSIGNAL);
      close(guest);
    }
  });
  const int port = port_of(door.file());
  EXPECT_EQ(failure_of({"", "127.0.0.1", port}, 1, 0.2),
            "rank 0 did not answer at 127.0.0.1:" + std::to_string(port));
  host.request_stop();
  close(guest_of(port, ""));
}

TEST(SharedByTcp, ThatDoesNotComeIsAnError) {
  const int port = free_port();
  const MeetingPlace place{"", "localhost", port};
  EXPECT_EQ(failure_of(place, 1, 0.05), "rank 0 did not answer at localhost:" + std::to_string(port));
  EXPECT_EQ(failure_of(place, 0, 0.05), "1 of 1 other ranks did not come to port " + std::to_string(port));
  const Connection taken(bound());
  ASSERT_EQ(listen(taken.file(), 1), 0);
  EXPECT_THAT(failure_of({"", "localhost", port_of(taken.file())}, 0, 0.05),
              EndsWith("cannot be listened on: Address already in use"));
}

}  // namespace
}  // namespace calibrate::probes
