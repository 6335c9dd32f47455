// libFuzzer's entry to the import of the OSU Micro-Benchmarks.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::osu({reinterpret_cast<const char*>(data), size});
  return 0;
}
