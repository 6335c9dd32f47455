// libFuzzer's entry to the gradient compressors.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/compressors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::compressors({reinterpret_cast<const char*>(data), size});
  return 0;
}
