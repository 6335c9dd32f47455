// The rows of kernels_bench that need a GPU.
#pragma once

namespace bench {

/// Registers a row for every CUDA implementation and yardstick, size, ratio and kind of values; before
/// benchmarks run. Where there is no device it registers nothing and says so on stderr.
void register_device_rows();

}  // namespace bench
