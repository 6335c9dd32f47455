// Functions of the emulated device for tests, beyond those of CUDA.
#pragma once

#include <cstdint>
#include <functional>

struct CUstream_st;

namespace emulation {

/// How often the program waited for the device so far: stream synchronisations, and releases of memory, which
/// wait too.
std::int64_t waits();

/// How many kernels were put into streams so far.
std::int64_t launches();

/// How many pieces of device memory are allocated now.
std::int64_t allocations();

/// Waits for all streams.
void wait_for_device();

/// Work of a library that knows the device: done when the stream gets there, with device memory in reach.
void put_into_stream(CUstream_st* stream, std::function<void()> work);

/// The allocation after this number of others fails, as that of a full device does; once.
void fail_allocation_after(std::int64_t more);

}  // namespace emulation
