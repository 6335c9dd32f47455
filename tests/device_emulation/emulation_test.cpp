// Tests of the emulation itself: launches, and the faults that it must find.
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device_emulation/cuda_runtime.h"
#include "tests/device_emulation/runtime.hpp"

namespace emulation {
namespace {

template <class Kernel>
std::string fault_of(unsigned blocks, unsigned threads, Kernel kernel) {
  try {
    run_grid(blocks, threads, kernel);
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

std::string line_ahead(int lines, SourceLine where = SourceLine::here()) {
  return "emulation_test.cpp:" + std::to_string(where.line + lines);
}

template <class T>
T* device_array(std::size_t count) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), cudaSuccess);
  return static_cast<T*>(memory);
}

TEST(Emulation, RunsEveryThreadOfEveryBlockOnce) {
  std::vector<int> seen(96);
  run_grid(3, 32, [&] { ++seen[blockIdx.x * blockDim.x + threadIdx.x]; });
  EXPECT_EQ(seen, std::vector<int>(96, 1));
}

TEST(Emulation, BarrierSeparatesWritersFromReaders) {
  std::vector<int> places(64), found(64);
  run_grid(1, 64, [&] {
    places[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    found[threadIdx.x] = places[63 - threadIdx.x];
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], 63 - i);
}

TEST(Emulation, ChangesTheOrderOfThreads) {
  std::vector<unsigned> first, second;
  run_grid(1, 64, [&] { first.push_back(threadIdx.x); });
  run_grid(1, 64, [&] { second.push_back(threadIdx.x); });
  EXPECT_NE(first, second);
}

TEST(Emulation, ShowsThatABarrierIsMissing) {
  int shared = 0;
  std::vector<int> found(64);
  run_grid(1, 64, [&] {
    for (int turn = 1; turn <= 2;
         ++turn) {  // the second turn's writer does not wait for the first one's readers
      if (threadIdx.x == 0) shared = turn;
      __syncthreads();
      found[threadIdx.x] += shared;
    }
  });
  EXPECT_NE(found, std::vector<int>(64, 3));
}

TEST(Emulation, WarpIntrinsicsExchangeValues) {
  std::vector<unsigned> ballots(32), matches(32);
  std::vector<double> across(32), below(32);
  run_grid(1, 32, [&] {
    const unsigned lane = threadIdx.x;
    ballots[lane] = __ballot_sync(0xffffffffU, lane % 4 == 0);
    matches[lane] = __match_any_sync(0xffffffffU, lane % 2);
    across[lane] = __shfl_xor_sync(0xffffffffU, lane * 0.5, 1);
    below[lane] = __shfl_up_sync(0xffffffffU, lane * 0.5, 2U);
  });
  EXPECT_EQ(ballots[5], 0x11111111U);
  EXPECT_EQ(matches[3], 0xaaaaaaaaU);
  EXPECT_EQ(across[6], 3.5);
  EXPECT_EQ(below[6], 2);
  EXPECT_EQ(below[1], 0.5);
}

TEST(Emulation, FindsDivergentBarrier) {
  const std::string here = line_ahead(2);
  const auto kernel = [] {
    if (threadIdx.x == 0) __syncthreads();
  };
  EXPECT_EQ(fault_of(1, 2, kernel),
            "divergent __syncthreads: thread 0 waits in __syncthreads at " + here + ", thread 1 has ended");
}

TEST(Emulation, FindsLaneThatDoesNotArrive) {
  const std::string here = line_ahead(2);
  const auto kernel = [] {
    if (threadIdx.x != 7) __syncwarp();
  };
  EXPECT_EQ(fault_of(1, 32, kernel),
            "thread 0 waits in __syncwarp at " + here + " for lane 7, which has ended");
  EXPECT_NE(fault_of(1, 16, [] { __syncwarp(); }).find("for lane 16, which is none of the block's"),
            std::string::npos);
}

TEST(Emulation, FindsReadOfALaneOutsideTheMask) {
  EXPECT_EQ(fault_of(1, 32,
                     [] {
                       if (threadIdx.x == 0) __shfl_sync(1U, 1, 3);
                     }),
            "__shfl_sync: lane 0 reads lane 3, which the mask leaves out");
}

TEST(Emulation, RunsAgainAfterAFault) {
  EXPECT_NE(fault_of(1, 64,
                     [] {
                       if (threadIdx.x < 40) __syncthreads();
                     }),
            "");
  int sum = 0;
  run_grid(1, 64, [&] {
    __syncthreads();
    ++sum;
  });
  EXPECT_EQ(sum, 64);
}

void count_uninitialised(int* found) {
  __shared__ int value;
  if (threadIdx.x == 0) {
    atomicAdd(found, value == -1 ? 1 : 0);
    value = 3;
  }
}

TEST(Emulation, SpoilsSharedMemoryBeforeEachBlock) {
  int spoilt = 0;
  run_grid(4, 8, [&] { count_uninitialised(&spoilt); });
  EXPECT_EQ(spoilt, 4);
}

TEST(Emulation, WorkWaitsForSynchronisation) {
  auto* memory = device_array<int>(1);
  int value = 5;
  ASSERT_EQ(cudaMemsetAsync(memory, 0, sizeof(int), nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(&value, memory, sizeof(int), cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  EXPECT_EQ(value, 5);
  const std::int64_t before = waits();
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(waits(), before + 1);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(Emulation, RefusesCopiesOfTheWrongKind) {
  auto* memory = device_array<int>(2);
  int value = 0;
  EXPECT_EQ(cudaMemcpyAsync(&value, memory, sizeof(int), cudaMemcpyHostToDevice, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemsetAsync(memory + 1, 0, 2 * sizeof(int), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

#if !defined(__SANITIZE_ADDRESS__)  // which finds it first
TEST(Emulation, FindsWritesPastTheEnd) {
  auto* memory = device_array<int>(2);
  cudaLaunchConfig_t shape;
  ASSERT_EQ(cudaLaunchKernelEx(
                &shape, +[](int* to) { to[2] = 1; }, memory),
            cudaSuccess);
  EXPECT_THROW(cudaStreamSynchronize(nullptr), Fault);
  const std::vector<int> guard{static_cast<int>(0xcdcdcdcdU)};
  ASSERT_EQ(cudaLaunchKernelEx(
                &shape, +[](int* to, int old) { to[2] = old; }, memory, guard[0]),
            cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}
#endif

TEST(Emulation, EventsTellWhenTheStreamGotThere) {
  cudaEvent_t begin = nullptr, end = nullptr;
  float milliseconds = -1;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventRecord(begin, nullptr), cudaSuccess);
  cudaLaunchConfig_t shape;
  ASSERT_EQ(cudaLaunchKernelEx(
                &shape, +[] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }),
            cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  const std::int64_t before = waits();
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(waits(), before + 1);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GE(milliseconds, 5);
  EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
}

TEST(Emulation, AnEventThatIsGoneLeavesItsStreamWhole) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
}

TEST(Emulation, RefusesEmptyLaunches) {
  cudaLaunchConfig_t shape;
  shape.gridDim = dim3(0);
  EXPECT_EQ(cudaLaunchKernelEx(
                &shape, +[] {}),
            cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace emulation
