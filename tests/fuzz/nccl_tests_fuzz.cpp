// libFuzzer's entry to the import of nccl-tests.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::nccl_tests({reinterpret_cast<const char*>(data), size});
  return 0;
}
