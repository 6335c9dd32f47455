// Cases of a measurement in a process of their own: one that hangs or crashes takes no other with it.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

#include <sys/types.h>

#include "netmodels/quantity.hpp"

namespace calibrate::probes {

/// Error: what all cases share could not be set up.
class SetUpError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs cases one after the other in a child process, which leads a process group of its own. The child
/// serves case after case; once it has hung or ended, its group is killed, and the next case has a new one.
/// The child is forked: what it uses of libraries that do not survive a fork (CUDA, NCCL) must not be used
/// before.
class SupervisedCases {
 public:
  /// Runs in the child: the result of a case as text; what it throws makes the case a failed one, and the
  /// child goes on.
  using Work = std::function<std::string(std::size_t number)>;
  /// Runs in the child, once: sets up what its cases share. @param first  number of its first case
  using SetUp = std::function<Work(std::size_t first)>;

  /// @param limit  of a case; twice that where it may set up as well: the first, and those after a failed one
  SupervisedCases(SetUp set_up, netmodels::Seconds limit);
  /// Ends the child; one that is idle ends by itself, within the limit.
  ~SupervisedCases();
  SupervisedCases(const SupervisedCases&) = delete;
  SupervisedCases& operator=(const SupervisedCases&) = delete;
  SupervisedCases(SupervisedCases&&) = delete;
  SupervisedCases& operator=(SupervisedCases&&) = delete;

  /// @throws SetUpError with the words of what failed; std::runtime_error with those of a failed case, or
  ///         that name the limit, the signal or the exit code that ended the child
  std::string run(std::size_t number);

 private:
  struct Answer {
    char kind = 0;
    std::string text;
  };
  void start(std::size_t first);
  [[noreturn]] void serve(std::size_t first, int requests, int answers) const;
  Answer wait_for_answer();
  void end_group();
  int reap(bool killed);

  SetUp set_up_;
  netmodels::Seconds limit_;
  pid_t child_ = -1;
  int requests_ = -1;   ///< written to
  int answers_ = -1;    ///< read from
  bool fresh_ = false;  ///< the next case may set up
};

}  // namespace calibrate::probes
