// A copy by a set number of thread blocks at a set rate, for a second stream: what a collective takes from
// computing.
//
// A shared library with a C interface, which pytorch_overlap.py loads. Each block holds a multiprocessor, as
// a channel of a communication library does, and copies a region of its own, chunk by chunk, until it is
// stopped or reaches its time limit, so that it can never run for ever.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <new>
#include <thread>

namespace {

using Nanoseconds = unsigned long long;

constexpr unsigned threads = 512;
constexpr int quads_a_thread = 8;  // loads of 16 bytes: a chunk is 64 KiB
constexpr std::size_t chunk_quads = std::size_t{threads} * quads_a_thread;
constexpr std::size_t chunk_bytes = chunk_quads * sizeof(uint4);
constexpr unsigned held_bytes =
    60 << 10;  // bytes of shared memory: a large block of a matrix product does not fit beside
constexpr Nanoseconds asking_interval = 20'000;  // a look into the host's memory takes 1 to 2 us
constexpr int poll_interval = 200;               // ns
constexpr double start_limit = 1;                // s
constexpr double most_seconds = 10;

/// Report of one block.
struct BlockReport {
  unsigned multiprocessor, stopped;  ///< stopped: by the host, before its time limit
  Nanoseconds begin, end, chunks;
};

/// Flags in memory of the host that the device sees.
struct Board {
  volatile int stop;
  volatile int running[1024];  ///< set by each block, once it copies
};

struct Task {
  const uint4* from;
  uint4* to;
  std::size_t chunks;  ///< chunks of one block's region
  double chunk_time;   ///< ns from chunk to chunk of a block; 0: as fast as it can
  Nanoseconds limit;   ///< ns after which a block ends
  Board* board;
  BlockReport* reports;
};

__device__ Nanoseconds now() {
  Nanoseconds time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/// One thread waits until the chunk is due.
/// @returns whether to copy it
__device__ bool wait_for(const Task& task, BlockReport& report, Nanoseconds& asked) {
  const auto due =
      report.begin + static_cast<Nanoseconds>(static_cast<double>(report.chunks) * task.chunk_time);
  while (true) {
    const Nanoseconds time = now();
    if (time - report.begin > task.limit) return false;
    if (time - asked > asking_interval) {
      asked = time;
      if (task.board->stop != 0) {
        report.stopped = 1;
        return false;
      }
    }
    if (time >= due) return true;
    __nanosleep(poll_interval);
  }
}

__global__ void __launch_bounds__(threads) copy_beside(Task task) {
  __shared__ bool goes_on;
  const std::size_t region = blockIdx.x * task.chunks * chunk_quads;
  BlockReport report{multiprocessor(), 0, now(), 0, 0};
  Nanoseconds asked = report.begin;
  if (threadIdx.x == 0) {
    task.board->running[blockIdx.x] = 1;
    __threadfence_system();
  }
  while (true) {
    if (threadIdx.x == 0) goes_on = wait_for(task, report, asked);
    __syncthreads();
    if (!goes_on) break;
    const std::size_t at = region + report.chunks % task.chunks * chunk_quads + threadIdx.x;
    uint4 held[quads_a_thread];
#pragma unroll
    for (int i = 0; i < quads_a_thread; ++i) held[i] = __ldcs(task.from + at + std::size_t{threads} * i);
#pragma unroll
    for (int i = 0; i < quads_a_thread; ++i) __stcs(task.to + at + std::size_t{threads} * i, held[i]);
    ++report.chunks;
    __syncthreads();  // before `goes_on` is written again
  }
  report.end = now();
  if (threadIdx.x == 0) task.reports[blockIdx.x] = report;
}

thread_local char error_text[256] = "";

/// @returns whether the call succeeded; else the text of the error is kept
bool done(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return true;
  std::snprintf(error_text, sizeof error_text, "%s: %s", call, cudaGetErrorString(status));
  return false;
}

bool failed(const char* text) {
  std::snprintf(error_text, sizeof error_text, "%s", text);
  return false;
}

/// Memory and a stream for copies by at most `blocks` blocks.
struct Copier {
  int device = 0, blocks = 0;
  std::size_t chunks = 0;  ///< chunks of one block's region
  uint4 *from = nullptr, *to = nullptr;
  Board *board = nullptr, *board_on_device = nullptr;
  BlockReport* reports = nullptr;  ///< reports in the device's memory
  cudaStream_t stream = nullptr;
  int running = 0;  ///< blocks of the copy that was begun last

  ~Copier() {
    if (board != nullptr) board->stop = 1;
    if (stream != nullptr) cudaStreamSynchronize(stream);
    cudaFree(from);
    cudaFree(to);
    cudaFree(reports);
    if (board != nullptr) cudaFreeHost(board);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }

  bool open() {
    const std::size_t bytes = chunk_bytes * chunks * static_cast<std::size_t>(blocks);
    void* shared = nullptr;
    const bool reserved =
        done(cudaSetDevice(device), "cudaSetDevice") && done(cudaMalloc(&from, bytes), "cudaMalloc") &&
        done(cudaMalloc(&to, bytes), "cudaMalloc") &&
        done(cudaMalloc(&reports, sizeof(BlockReport) * static_cast<std::size_t>(blocks)), "cudaMalloc") &&
        done(cudaHostAlloc(&shared, sizeof(Board), cudaHostAllocMapped), "cudaHostAlloc");
    if (!reserved) return false;
    board = new (shared) Board{};
    return done(cudaHostGetDevicePointer(reinterpret_cast<void**>(&board_on_device), board, 0),
                "cudaHostGetDevicePointer") &&
           done(cudaMemset(from, 1, bytes), "cudaMemset") && done(cudaMemset(to, 0, bytes), "cudaMemset") &&
           done(cudaFuncSetAttribute(copy_beside, cudaFuncAttributeMaxDynamicSharedMemorySize, held_bytes),
                "cudaFuncSetAttribute") &&
           done(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }

  [[nodiscard]] bool all_run() const {
    for (int i = 0; i < running; ++i) {
      if (board->running[i] == 0) return false;
    }
    return true;
  }

  /// @returns once all blocks copy
  bool start(int wanted, double bytes_per_second, double seconds) {
    if (wanted < 1 || wanted > blocks) return failed("more blocks than there is memory for");
    if (!(seconds > 0 && seconds <= most_seconds)) return failed("the time limit is not within 0 s and 10 s");
    if (!done(cudaSetDevice(device), "cudaSetDevice")) return false;
    board->stop = 0;
    for (int i = 0; i < wanted; ++i) board->running[i] = 0;
    running = wanted;
    const double of_block = bytes_per_second / wanted;
    const double chunk_time = of_block > 0 ? 1e9 * static_cast<double>(chunk_bytes) / of_block : 0;
    const auto limit = static_cast<Nanoseconds>(1e9 * seconds);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(wanted));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = held_bytes;
    config.stream = stream;
    const Task task{from, to, chunks, chunk_time, limit, board_on_device, reports};
    if (!done(cudaLaunchKernelEx(&config, copy_beside, task), "copy_beside")) return false;
    const auto begun = std::chrono::steady_clock::now();
    while (!all_run()) {
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > start_limit) {
        board->stop = 1;
        return failed("the blocks of the copy did not all begin: the device is busy");
      }
      std::this_thread::yield();
    }
    return true;
  }

  /// @returns whether all blocks copied until now
  bool stop(double* bytes, double* seconds, int* multiprocessors) {
    if (!done(cudaSetDevice(device), "cudaSetDevice")) return false;
    board->stop = 1;
    BlockReport found[1024];
    if (!done(cudaStreamSynchronize(stream), "cudaStreamSynchronize") ||
        !done(cudaMemcpy(found, reports, sizeof(BlockReport) * static_cast<std::size_t>(running),
                         cudaMemcpyDeviceToHost),
              "cudaMemcpy"))
      return false;
    Nanoseconds begin = found[0].begin, end = found[0].end, chunks_done = 0;
    bool until_now = true;
    *multiprocessors = 0;
    for (int i = 0; i < running; ++i) {
      begin = found[i].begin < begin ? found[i].begin : begin;
      end = found[i].end > end ? found[i].end : end;
      chunks_done += found[i].chunks;
      until_now = until_now && found[i].stopped != 0;
      bool is_new = true;
      for (int j = 0; j < i; ++j) is_new = is_new && found[j].multiprocessor != found[i].multiprocessor;
      *multiprocessors += is_new ? 1 : 0;
    }
    *bytes = static_cast<double>(chunks_done) * static_cast<double>(chunk_bytes);
    *seconds = 1e-9 * static_cast<double>(end - begin);
    return until_now || failed("the copy ended before it was stopped: its time limit was reached");
  }
};

}  // namespace

extern "C" {

/// The error of the call before, in this thread.
const char* overlap_copy_error() { return error_text; }

void overlap_copy_close(void* copier) { delete static_cast<Copier*>(copier); }

/// @param blocks  at most this number will copy, 1 to 1024
/// @param bytes_a_block  of the region that each of them reads, and of the one it writes; beyond the caches
/// in all
/// @returns null where that failed
void* overlap_copy_open(int device, int blocks, std::size_t bytes_a_block) {
  if (blocks < 1 || blocks > 1024 || bytes_a_block < chunk_bytes) {
    failed("between 1 and 1024 blocks, each with a chunk of 64 KiB or more");
    return nullptr;
  }
  auto* copier = new Copier;
  copier->device = device;
  copier->blocks = blocks;
  copier->chunks = bytes_a_block / chunk_bytes;
  if (copier->open()) return copier;
  delete copier;
  return nullptr;
}

/// Begins to copy on a stream of its own, and returns once all blocks run.
/// @param bytes_per_second  of all blocks together, each byte read and written once; 0: as fast as they can
/// @param seconds  after which the copy ends by itself, at most 10
/// @returns 0, or 1 where that failed
int overlap_copy_start(void* copier, int blocks, double bytes_per_second, double seconds) {
  return static_cast<Copier*>(copier)->start(blocks, bytes_per_second, seconds) ? 0 : 1;
}

/// Ends the copy that was begun.
/// @param bytes, seconds  that were copied, and from the first block's begin to the last one's end
/// @param multiprocessors  on which blocks ran
/// @returns 0, or 1 where that failed or the copy had ended by itself
int overlap_copy_stop(void* copier, double* bytes, double* seconds, int* multiprocessors) {
  return static_cast<Copier*>(copier)->stop(bytes, seconds, multiprocessors) ? 0 : 1;
}

}  // extern "C"
