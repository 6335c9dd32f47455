// Threads that take pieces in turn, begun and joined in each call: a process without threads may be forked.
#include "learning/learners/threads.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace learning::learners {
namespace {

/// No signal is delivered to threads begun while it exists.
class SignalsKept {
 public:
  SignalsKept() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsKept() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;
  SignalsKept(SignalsKept&&) = delete;
  SignalsKept& operator=(SignalsKept&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void run_in_lanes(std::size_t pieces, std::size_t lanes,
                  const std::function<void(std::size_t piece, std::size_t lane)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex of_failure;
  const auto take_pieces = [&](std::size_t lane) {
    for (std::size_t piece = next++; piece < pieces; piece = next++) {
      try {
        work(piece, lane);
      } catch (...) {
        const std::lock_guard lock(of_failure);
        if (!failure) failure = std::current_exception();
        next = pieces;  // a failed piece may have left the lane's buffers half made
      }
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(lanes);
    try {
      const SignalsKept kept;
      for (std::size_t lane = 1; lane < std::min(lanes, pieces); ++lane)
        others.emplace_back(take_pieces, lane);
    } catch (const std::system_error&) {  // no more threads are to be had
    }
    take_pieces(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace learning::learners
