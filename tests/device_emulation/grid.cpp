// Fibers by ucontext, switched by jumps, and the rules by which they may go on.
#include "tests/device_emulation/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <ucontext.h>
#include <vector>

#include "tests/device_emulation/cuda_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

// The linker's names for where the section of shared memory begins and ends; none if no kernel has any.
extern "C" {
extern std::byte __start_emulated_shared[] __attribute__((weak));
extern std::byte __stop_emulated_shared[] __attribute__((weak));
}

namespace emulation {
namespace {

constexpr std::size_t stack_bytes = 256 << 10;
constexpr unsigned lanes = 32;

enum class State { runnable, at_barrier, in_warp, ended };

/// The addresses that a sanitizer must know when stacks are switched.
struct Stack {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
};

/// A stack, and where it was left. The compiler's own setjmp: it makes no system call, and sanitizers add
/// none.
struct Context {
  std::array<void*, 5> left_at{};
  Stack stack;
  void* shadow = nullptr;
  bool begun = true;
};

struct Fiber {
  State state = State::ended;
  unsigned thread = 0;
  SourceLine where;
  Meeting meeting;
  std::uint64_t value = 0;

  Context context;
  std::unique_ptr<std::byte[]> memory;
};

struct Launch {
  std::vector<Fiber> fibers;
  std::vector<unsigned> warp_order, lane_order;
  Context scheduler;
  Context* current = &scheduler;
  Context* previous = nullptr;
  Fiber* running = nullptr;
  unsigned warp = 0, turn = 0;  // the warp that runs, and the place in `lane_order` that comes next
  const std::function<void()>* kernel = nullptr;
  unsigned threads = 0;
  std::mt19937 shuffle{1};  // NOLINT: the same order in every run of a test is what is wanted
};

Launch& launch() {
  static Launch only;
  return only;
}

void start_switch([[maybe_unused]] void** shadow, [[maybe_unused]] Stack to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(shadow, to.bottom, to.bytes);
#endif
}

/// On the stack that was switched to; the sanitizer says where the one that was left lies.
void finish_switch() {
#if defined(__SANITIZE_ADDRESS__)
  Stack& left = launch().previous->stack;
  __sanitizer_finish_switch_fiber(launch().current->shadow, &left.bottom, &left.bytes);
#endif
}

[[noreturn]] void live();

/// Begins `live` on another stack.
[[gnu::noinline, noreturn]] void begin(Stack stack) {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = const_cast<void*>(stack.bottom);
  context.uc_stack.ss_size = stack.bytes;
  makecontext(&context, live, 0);
  setcontext(&context);
  std::abort();  // does not come to pass, but keeps the call from taking this frame's place
}

/// Leaves the running stack for another one; returns when it is switched to.
[[gnu::noinline, gnu::no_sanitize_address]] void switch_to(Context& to) {
  Context& from = *launch().current;
  launch().previous = &from;
  launch().current = &to;
  start_switch(&from.shadow, to.stack);
  if (__builtin_setjmp(from.left_at.data()) == 0) {
    if (to.begun) __builtin_longjmp(to.left_at.data(), 1);
    to.begun = true;
    begin(to.stack);
  }
  finish_switch();
}

Fiber& fiber_of(unsigned thread) { return launch().fibers[thread]; }

/// The warp's next lane that can run before the lanes look at what they wait for; none at the end of the
/// turn.
Fiber* next_lane() {
  while (launch().turn < lanes) {
    const unsigned thread = launch().warp * lanes + launch().lane_order[launch().turn++];
    if (thread < launch().threads && fiber_of(thread).state == State::runnable) return &fiber_of(thread);
  }
  return nullptr;
}

/// Goes on with the next lane, or behind the last one in the scheduler; returns when this stack is resumed.
void run_next() {
  Fiber* next = next_lane();
  launch().running = next;
  if (next != nullptr) threadIdx = {next->thread, 0, 0};
  Context& to = next == nullptr ? launch().scheduler : next->context;
  if (&to != launch().current) switch_to(to);
}

/// A fiber's whole life: one thread after another.
void live() {
  finish_switch();
  for (;;) {
    (*launch().kernel)();
    launch().running->state = State::ended;
    run_next();
  }
}

/// Stacks end at different distances from the page's: at the same ones, their tops would share few lines of a
/// cache.
void make_fibers(unsigned threads) {
  constexpr std::size_t line = 64, lines_of_page = 64;
  while (launch().fibers.size() < threads) {
    Fiber& fiber = launch().fibers.emplace_back();
    fiber.thread = static_cast<unsigned>(launch().fibers.size() - 1);
    fiber.memory = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    fiber.context.stack = {fiber.memory.get(), stack_bytes - fiber.thread * 5 % lines_of_page * line};
    fiber.context.begun = false;
  }
}

std::string text(SourceLine where) {
  const std::string file = where.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

bool same(SourceLine a, SourceLine b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string whereabouts(const Fiber& fiber) {
  switch (fiber.state) {
    case State::ended: return "has ended";
    case State::at_barrier: return "waits in __syncthreads at " + text(fiber.where);
    case State::in_warp: return "waits in " + std::string(fiber.meeting.name) + " at " + text(fiber.where);
    default: return "runs";
  }
}

/// Fibers stuck in the middle of a kernel cannot be used again.
[[noreturn]] void fail(const std::string& what) {
  launch().fibers.clear();
  throw Fault(what);
}

bool agrees(const Fiber& one, const Fiber& other) {
  return other.state == State::in_warp && other.meeting.mask == one.meeting.mask &&
         other.meeting.results == one.meeting.results && same(other.where, one.where);
}

/// Lets the lanes go on that meet `thread` if all of its mask are there.
bool complete(unsigned thread) {
  const unsigned first = thread / lanes * lanes;
  const Meeting& meeting = fiber_of(thread).meeting;
  Lanes met{meeting.mask, {}, {}};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!met.has(lane)) continue;
    if (first + lane >= launch().threads || !agrees(fiber_of(thread), fiber_of(first + lane))) return false;
    met.values[lane] = fiber_of(first + lane).value;
    met.arguments[lane] = fiber_of(first + lane).meeting.argument;
  }
  const LaneValues results = meeting.results(met);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!met.has(lane)) continue;
    fiber_of(first + lane).value = results[lane];
    fiber_of(first + lane).state = State::runnable;
  }
  return true;
}

/// Runs one warp as far as it comes without the others.
void run_warp(unsigned warp) {
  const unsigned first = warp * lanes;
  const unsigned end = std::min(first + lanes, launch().threads);
  launch().warp = warp;
  for (bool moved = true; moved;) {
    launch().turn = 0;
    run_next();
    moved = false;
    for (unsigned thread = first; thread < end; ++thread) {
      if (fiber_of(thread).state == State::in_warp) moved = complete(thread) || moved;
    }
  }
}

unsigned count(State state) {
  unsigned found = 0;
  for (unsigned thread = 0; thread < launch().threads; ++thread) found += fiber_of(thread).state == state;
  return found;
}

/// No thread can run and no warp can continue: either all wait at one barrier, or the kernel is wrong.
void open_barrier() {
  const Fiber& first = fiber_of(0);
  for (unsigned thread = 0; thread < launch().threads; ++thread) {
    const Fiber& fiber = fiber_of(thread);
    if (fiber.state == State::in_warp) {
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned other = thread / lanes * lanes + lane;
        if ((fiber.meeting.mask >> lane & 1U) == 0) continue;
        if (other < launch().threads && agrees(fiber, fiber_of(other))) continue;
        fail("thread " + std::to_string(thread) + " " + whereabouts(fiber) + " for lane " +
             std::to_string(lane) + ", which " +
             (other < launch().threads ? whereabouts(fiber_of(other)) : "is none of the block's"));
      }
    }
    if (fiber.state != first.state || !same(fiber.where, first.where)) {
      fail("divergent __syncthreads: thread 0 " + whereabouts(first) + ", thread " + std::to_string(thread) +
           " " + whereabouts(fiber));
    }
  }
  for (unsigned thread = 0; thread < launch().threads; ++thread) fiber_of(thread).state = State::runnable;
}

void spoil_shared() {
  if (__start_emulated_shared == nullptr) return;
  std::memset(__start_emulated_shared, 0xff,
              static_cast<std::size_t>(__stop_emulated_shared - __start_emulated_shared));
}

/// One warp after the other runs up to the barrier: code that lacks a needed barrier meets values that are
/// too old or too new.
void run_block() {
  spoil_shared();
  for (unsigned thread = 0; thread < launch().threads; ++thread) fiber_of(thread).state = State::runnable;
  for (;;) {
    for (const unsigned warp : launch().warp_order) run_warp(warp);
    if (count(State::ended) == launch().threads) return;
    open_barrier();
  }
}

/// @param from  from(lane, argument): the lane that `lane` reads
template <class From>
LaneValues read_lanes(const Lanes& met, const char* name, From from) {
  LaneValues results{};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!met.has(lane)) continue;
    const auto other = static_cast<unsigned>(from(static_cast<int>(lane), met.arguments[lane]));
    if (!met.has(other)) {
      fail(std::string(name) + ": lane " + std::to_string(lane) + " reads lane " + std::to_string(other) +
           ", which the mask leaves out");
    }
    results[lane] = met.values[other];
  }
  return results;
}

}  // namespace

LaneValues only_meet(const Lanes& /*met*/) { return {}; }
LaneValues lane_named(const Lanes& met) {
  return read_lanes(met, "__shfl_sync", [](int /*lane*/, int named) { return named & 31; });
}
LaneValues lane_below(const Lanes& met) {
  return read_lanes(met, "__shfl_up_sync", [](int lane, int by) { return lane < by ? lane : lane - by; });
}
LaneValues lane_above(const Lanes& met) {
  return read_lanes(met, "__shfl_down_sync",
                    [](int lane, int by) { return lane + by > 31 ? lane : lane + by; });
}
LaneValues lane_across(const Lanes& met) {
  return read_lanes(met, "__shfl_xor_sync", [](int lane, int bits) { return (lane ^ bits) & 31; });
}
LaneValues ballot(const Lanes& met) {
  std::uint64_t bits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) bits |= (met.mask >> lane & met.values[lane] & 1U) << lane;
  LaneValues results{};
  results.fill(bits);
  return results;
}
LaneValues match_any(const Lanes& met) {
  LaneValues results{};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!met.has(lane) || results[lane] != 0) continue;  // not there, or equal to a lane before
    std::uint64_t bits = 0;
    for (unsigned other = lane; other < lanes; ++other) {
      bits |= std::uint64_t{met.has(other) && met.values[other] == met.values[lane]} << other;
    }
    for (unsigned other = lane; other < lanes; ++other) {
      if ((bits >> other & 1U) != 0) results[other] = bits;
    }
  }
  return results;
}

void meet_block(SourceLine where) {
  Fiber& fiber = *launch().running;
  fiber.where = where;
  fiber.state = State::at_barrier;
  run_next();
}

std::uint64_t meet_warp(const Meeting& meeting, std::uint64_t value, SourceLine where) {
  Fiber& fiber = *launch().running;
  fiber.where = where;
  fiber.meeting = meeting;
  fiber.value = value;
  fiber.state = State::in_warp;
  run_next();
  return fiber.value;
}

void run_grid(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  make_fibers(threads);
  launch().kernel = &kernel;
  launch().threads = threads;
  const auto shuffled = [](unsigned size) {
    std::vector<unsigned> order(size);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, launch().shuffle);
    return order;
  };
  gridDim = dim3(blocks);
  blockDim = dim3(threads);
  for (const unsigned block : shuffled(blocks)) {
    launch().warp_order = shuffled((threads + lanes - 1) / lanes);
    launch().lane_order = shuffled(lanes);
    blockIdx = {block, 0, 0};
    run_block();
  }
}

}  // namespace emulation
