// Work done in separate processes: a crash or hang affects no other work.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"

namespace sim::sweep {

/// How one piece of work ended.
struct WorkOutcome {
  std::string text;                    ///< text that the work returned; empty where it failed
  std::optional<std::string> failure;  ///< why it did not return: "killed by signal 11 (Segmentation fault)"
  netmodels::Seconds duration;         ///< wall-clock time
};

/// Work to do, and its limits.
struct PooledWork {
  std::vector<std::size_t> pieces = {};  ///< numbers of the pieces, in the order in which they begin
  /// Does the piece of this number in a child process; an exception is a failure.
  std::function<std::string(std::size_t)> work = nullptr;
  /// Runs here, in the order in which pieces end.
  std::function<void(std::size_t, WorkOutcome)> done = nullptr;
  std::size_t jobs = 1;                                      ///< processes at a time, at least 1
  std::optional<netmodels::Seconds> timeout = std::nullopt;  ///< limit of one piece; then it is killed
  /// Time for which a process takes one piece after another; nothing: one piece per process. A process in
  /// which a module is open ends with its piece, since SimGrid has one engine per process.
  std::optional<netmodels::Seconds> shift = std::nullopt;
  const std::atomic<bool>* stop = nullptr;  ///< raised: no more pieces are started, running ones are killed
};

/// Pieces 0 to count - 1.
std::vector<std::size_t> pieces_below(std::size_t count);

/// Forks children for the pieces, so this process must run no other thread. A child that crashes or is late
/// loses the piece that it was at; others do the rest of its batch. A limit of memory is of all children
/// together.
/// @returns how many pieces ended, by themselves or by their timeout
/// @throws std::runtime_error where the system gives no more processes or pipes
std::size_t run_in_processes(const PooledWork& all);

}  // namespace sim::sweep
