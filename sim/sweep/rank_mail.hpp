// Letters between the ranks of an MPI job, sent and received without ever waiting for a rank that may be
// gone.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

  /// Joins the job, by the module with MPI.
  /// @throws std::runtime_error where this build has no MPI, or the module cannot be opened
  static std::unique_ptr<RankMail> join();
  /// Leaves the job, as every rank must.
  virtual ~RankMail() = default;

  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t ranks() const = 0;

  /// Returns at once; the letter is under way until `delivered`.
  virtual void send(std::size_t to, Topic topic, std::string text) = 0;
  /// The next letter that is here as a whole, if any. Never waits.
  virtual std::optional<Letter> receive() = 0;
  /// Sends `alive` to these ranks at most once a second.
  virtual void say_alive(const std::vector<std::size_t>& to) = 0;
  /// How long ago a rank was heard of; time in which this rank did not look into its box does not count.
  [[nodiscard]] virtual double silence_s(std::size_t rank) const = 0;
  /// Whether everything that was sent has left.
  virtual bool delivered() = 0;
};

}  // namespace sim::sweep
