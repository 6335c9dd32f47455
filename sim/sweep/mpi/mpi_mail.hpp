// Letters between the ranks of an MPI job, by MPI's immediate operations.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include <boost/mpi.hpp>

#include "sim/sweep/rank_mail.hpp"

namespace sim::sweep {

/// This rank's box.
class MpiMail : public RankMail {
 public:
  MpiMail() : heard_(static_cast<std::size_t>(world_.size()), Clock::now()) {}

  [[nodiscard]] std::size_t rank() const override { return static_cast<std::size_t>(world_.rank()); }
  [[nodiscard]] std::size_t ranks() const override { return static_cast<std::size_t>(world_.size()); }
  void send(std::size_t to, Topic topic, std::string text) override;
  std::optional<Letter> receive() override;
  void say_alive(const std::vector<std::size_t>& to) override;
  [[nodiscard]] double silence_s(std::size_t rank) const override;
  bool delivered() override;

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
  Clock::time_point looked_ = Clock::now();         ///< time of the last look into the box
  Clock::time_point looking_since_ = Clock::now();  ///< begin of looking without a pause
  Clock::time_point said_alive_{};
  std::list<Coming> coming_;  ///< messages in the order in which they were sent
  std::list<Sent> sent_;      ///< buffers that MPI still reads from
};

}  // namespace sim::sweep
