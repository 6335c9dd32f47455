// libFuzzer's entry to the simulator's targets: --target=NAME before its own options.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/sim/seeds.hpp"
#include "tests/fuzz/sim/targets.hpp"

namespace {

const fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  chosen = &fuzz::chosen_target(fuzz::targets_of_sim, {*arguments, static_cast<std::size_t>(*count)},
                                fuzz::seeds_of);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
