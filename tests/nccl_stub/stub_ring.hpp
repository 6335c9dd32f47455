// A ring of ranks that talk over TCP, as NCCL's do: a root hands out addresses, neighbours connect when they
// first have something to send.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace stub {

/// A file descriptor that is closed with its owner.
class Socket {
 public:
  explicit Socket(int file = -1) : file_(file) {}
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

/// Listens on the first IPv4 address of the interface that NCCL_SOCKET_IFNAME names, which is looked for once
/// for each copy of this library, and answers, in a thread of its own, each rank with the address of the next
/// one.
/// @returns where it listens; empty where there is no such interface, or the address is of another network
/// namespace
std::string start_root();

/// One rank's place in the ring. Calls return false where a connection fails or nothing comes for 5 s.
class Ring {
 public:
  /// Reports to the root, and waits for the other ranks to do so. @returns null where that fails
  static std::unique_ptr<Ring> join(const std::string& root, int rank, int ranks);

  /// Sends to the next rank; `receive` takes from the one before.
  bool send(const char* data, std::size_t bytes);
  bool receive(char* data, std::size_t bytes);

  /// Adds up floats, or takes the largest, by chunks that go round the ring twice.
  bool all_reduce(const float* from, float* to, std::size_t count, bool largest);
  /// @param bytes  of one rank's part
  bool all_gather(const char* from, char* to, std::size_t bytes);
  bool broadcast(const char* from, char* to, std::size_t bytes, int root);

 private:
  Ring(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  bool connect();
  /// Sends and receives at once, so that no rank waits for room in another's buffer.
  bool exchange(const char* sent, std::size_t sent_bytes, char* received, std::size_t received_bytes);

  int rank_;
  int ranks_;
  std::string next_address_;
  Socket listening_{};
  Socket next_{};
  Socket previous_{};
};

}  // namespace stub
