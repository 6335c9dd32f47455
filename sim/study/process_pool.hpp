// Work done in processes of their own: what crashes or hangs takes nothing else along.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "netmodels/quantity.hpp"

namespace sim::study {

/// How one piece of work ended.
struct WorkOutcome {
  std::string text;                    ///< what the work returned; empty where it failed
  std::optional<std::string> failure;  ///< why it did not return: "killed by signal 11 (Segmentation fault)"
  netmodels::Seconds duration;         ///< on the clock
};

/// What is to be done, and how.
struct PooledWork {
  std::size_t count = 0;                         ///< pieces, numbered from 0
  std::function<std::string(std::size_t)> work;  ///< runs in a child process; what it throws is a failure
  std::function<void(std::size_t, WorkOutcome)> done;  ///< runs here, in the order in which pieces end
  std::size_t jobs = 1;                                ///< processes at a time, at least 1
  std::optional<netmodels::Seconds> timeout;           ///< of one piece; then it is killed
  const std::atomic<bool>* stop = nullptr;  ///< raised: nothing is begun any more, running pieces are killed
};

/// Forks one child per piece, so this process must run no other thread. Pieces begin in their order.
/// @returns how many pieces ended, by themselves or by their timeout
/// @throws std::runtime_error where the system gives no more processes or pipes
std::size_t run_in_processes(const PooledWork& all);

}  // namespace sim::study
