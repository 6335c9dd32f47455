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

/// Where a stack was left. The compiler's own setjmp: it makes no system call, and sanitizers add none.
using Place = std::array<void*, 5>;

struct Fiber {
  std::unique_ptr<std::byte[]> memory;
  ucontext_t begin{};
  Place left_at{};
  bool begun = false;
  void* shadow = nullptr;

  State state = State::ended;
  SourceLine where;
  Meeting meeting;
  std::uint64_t value = 0;
};

struct Launch {
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<unsigned> warp_order, lane_order;
  Place scheduler{};
  Stack scheduler_stack;
  Fiber* running = nullptr;
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

void finish_switch([[maybe_unused]] void* shadow, [[maybe_unused]] Stack* from) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(shadow, from == nullptr ? nullptr : &from->bottom,
                                  from == nullptr ? nullptr : &from->bytes);
#endif
}

/// From the running fiber to the scheduler; returns when the fiber is resumed.
[[gnu::noinline, gnu::no_sanitize_address]] void leave() {
  Fiber& fiber = *launch().running;
  start_switch(&fiber.shadow, launch().scheduler_stack);
  if (__builtin_setjmp(fiber.left_at.data()) == 0) __builtin_longjmp(launch().scheduler.data(), 1);
  finish_switch(launch().running->shadow, &launch().scheduler_stack);
}

/// A fiber's whole life: one thread after another.
[[gnu::no_sanitize_address]] void live() {
  finish_switch(nullptr, &launch().scheduler_stack);
  for (;;) {
    (*launch().kernel)();
    launch().running->state = State::ended;
    leave();
  }
}

[[gnu::noinline, gnu::no_sanitize_address]] void resume(unsigned thread) {
  Fiber& fiber = *launch().fibers[thread];
  threadIdx = {thread, 0, 0};
  launch().running = &fiber;
  static void* shadow = nullptr;
  start_switch(&shadow, {fiber.memory.get(), stack_bytes});
  if (__builtin_setjmp(launch().scheduler.data()) == 0) {
    if (fiber.begun) __builtin_longjmp(fiber.left_at.data(), 1);
    fiber.begun = true;
    setcontext(&fiber.begin);
    std::abort();  // does not come to pass, but keeps the call from taking this frame's place
  }
  finish_switch(shadow, nullptr);
}

[[gnu::noinline]] void prepare(ucontext_t& begin, std::byte* memory) {
  getcontext(&begin);
  begin.uc_stack.ss_sp = memory;
  begin.uc_stack.ss_size = stack_bytes;
  makecontext(&begin, live, 0);
}

void make_fibers(unsigned threads) {
  while (launch().fibers.size() < threads) {
    auto fiber = std::make_unique<Fiber>();
    fiber->memory = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    prepare(fiber->begin, fiber->memory.get());
    launch().fibers.push_back(std::move(fiber));
  }
}

std::string text(SourceLine where) {
  const std::string file = where.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

bool same(SourceLine a, SourceLine b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

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

Fiber& fiber_of(unsigned thread) { return *launch().fibers[thread]; }

bool agrees(const Fiber& one, const Fiber& other) {
  return other.state == State::in_warp && other.meeting.mask == one.meeting.mask &&
         other.meeting.result == one.meeting.result && same(other.where, one.where);
}

/// Lets the lanes go on that meet `thread` if all of its mask are there.
bool complete(unsigned thread) {
  const unsigned first = thread / lanes * lanes;
  const Meeting meeting = fiber_of(thread).meeting;
  LaneValues values{};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((meeting.mask >> lane & 1U) == 0) continue;
    if (first + lane >= launch().threads || !agrees(fiber_of(thread), fiber_of(first + lane))) return false;
    values[lane] = fiber_of(first + lane).value;
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((meeting.mask >> lane & 1U) == 0) continue;
    Fiber& fiber = fiber_of(first + lane);
    fiber.value = meeting.result(values, meeting.mask, static_cast<int>(lane), fiber.meeting.argument);
    fiber.state = State::runnable;
  }
  return true;
}

/// Runs one warp as far as it comes without the others.
void run_warp(unsigned warp) {
  const unsigned first = warp * lanes;
  const unsigned end = std::min(first + lanes, launch().threads);
  for (bool moved = true; moved;) {
    moved = false;
    for (const unsigned lane : launch().lane_order) {
      if (first + lane >= end || fiber_of(first + lane).state != State::runnable) continue;
      resume(first + lane);
      moved = true;
    }
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

std::uint64_t from_lane(const LaneValues& values, unsigned mask, int lane, int from, const char* name) {
  if ((mask >> from & 1U) == 0) {
    fail(std::string(name) + ": lane " + std::to_string(lane) + " reads lane " + std::to_string(from) +
         ", which the mask leaves out");
  }
  return values[static_cast<std::size_t>(from)];
}

}  // namespace

std::uint64_t lane_zero(const LaneValues& /*values*/, unsigned /*mask*/, int /*lane*/, int /*argument*/) {
  return 0;
}
std::uint64_t lane_named(const LaneValues& values, unsigned mask, int lane, int argument) {
  return from_lane(values, mask, lane, argument & 31, "__shfl_sync");
}
std::uint64_t lane_below(const LaneValues& values, unsigned mask, int lane, int argument) {
  return from_lane(values, mask, lane, lane < argument ? lane : lane - argument, "__shfl_up_sync");
}
std::uint64_t lane_above(const LaneValues& values, unsigned mask, int lane, int argument) {
  return from_lane(values, mask, lane, lane + argument > 31 ? lane : lane + argument, "__shfl_down_sync");
}
std::uint64_t lane_across(const LaneValues& values, unsigned mask, int lane, int argument) {
  return from_lane(values, mask, lane, (lane ^ argument) & 31, "__shfl_xor_sync");
}
std::uint64_t ballot(const LaneValues& values, unsigned mask, int /*lane*/, int /*argument*/) {
  std::uint64_t bits = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) bits |= (mask >> lane & values[lane] & 1U) << lane;
  return bits;
}
std::uint64_t match_any(const LaneValues& values, unsigned mask, int lane, int /*argument*/) {
  std::uint64_t bits = 0;
  for (std::size_t other = 0; other < lanes; ++other) {
    const bool equal = values[other] == values[static_cast<std::size_t>(lane)];
    bits |= std::uint64_t{mask >> other & (equal ? 1U : 0U)} << other;
  }
  return bits;
}

void meet_block(SourceLine where) {
  Fiber& fiber = *launch().running;
  fiber.where = where;
  fiber.state = State::at_barrier;
  leave();
}

std::uint64_t meet_warp(const Meeting& meeting, std::uint64_t value, SourceLine where) {
  Fiber& fiber = *launch().running;
  fiber.where = where;
  fiber.meeting = meeting;
  fiber.value = value;
  fiber.state = State::in_warp;
  leave();
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
