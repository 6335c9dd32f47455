// Letters between the ranks of an MPI job, sent and received without ever waiting for a rank that may be
// gone.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <boost/mpi.hpp>

namespace sim::sweep {

/// The kind of a letter; its number is MPI's tag.
enum class Topic : int { idle, piece, ended, alive, finish, leave };

struct Letter {
  std::size_t from = 0;
  Topic topic = Topic::alive;
  std::string text;
};

/// This rank's box.
class RankMail {
 public:
  using Clock = std::chrono::steady_clock;

  RankMail() : heard_(static_cast<std::size_t>(world_.size()), Clock::now()) {}

  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(world_.rank()); }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }

  /// Returns at once; the letter is under way until `delivered`.
  void send(std::size_t to, Topic topic, std::string text = {});
  /// The next letter that is here as a whole, if any. Never waits.
  std::optional<Letter> receive();
  /// Sends `alive` to these ranks at most once a second.
  void say_alive(const std::vector<std::size_t>& to);
  /// How long ago a rank was heard of; time in which this rank did not look into its box does not count.
  [[nodiscard]] double silence_s(std::size_t rank) const;
  /// Whether everything that was sent has left.
  bool delivered();

 private:
  struct Sent {
    std::string text;
    boost::mpi::request request;
  };

  /// A letter whose head is here and whose text may not be yet: its sender may have died in between.
  struct Coming {
    Letter letter;
    boost::mpi::request request;
  };
  void take_in();

  boost::mpi::environment environment_{boost::mpi::threading::single, false};
  boost::mpi::communicator world_;
  std::vector<Clock::time_point> heard_;
  Clock::time_point looked_ = Clock::now();         ///< into the box
  Clock::time_point looking_since_ = Clock::now();  ///< without a pause
  Clock::time_point said_alive_{};
  std::list<Coming> coming_;  ///< in the order in which they were sent
  std::list<Sent> sent_;      ///< buffers that MPI still reads from
};

}  // namespace sim::sweep
