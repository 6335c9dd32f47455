// libFuzzer's entry to the simulator's targets: --target=NAME before its own options.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "tests/fuzz/sim/seeds.hpp"
#include "tests/fuzz/sim/targets.hpp"

namespace {

const fuzz::Target* chosen = nullptr;

}  // namespace

/// --target=NAME, and --seeds=FOLDER, into which the target's own seeds are written first. libFuzzer passes
/// over options with two dashes.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  std::string_view folder;
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    constexpr std::string_view target = "--target=";
    constexpr std::string_view seeds = "--seeds=";
    if (argument.starts_with(seeds)) folder = argument.substr(seeds.size());
    if (!argument.starts_with(target)) continue;
    const auto* found =
        std::ranges::find(fuzz::targets_of_sim, argument.substr(target.size()), &fuzz::Target::name);
    if (found != fuzz::targets_of_sim.end()) chosen = found;
  }
  if (chosen == nullptr) {
    std::fputs("unknown target; accepted, as --target=NAME:", stderr);
    for (const fuzz::Target& target : fuzz::targets_of_sim) std::fprintf(stderr, " %s", target.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  if (folder.empty()) return 0;
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : fuzz::seeds_of(chosen->name))
    std::ofstream(std::filesystem::path(folder) / ("seed-" + std::to_string(number++)), std::ios::binary)
        << seed;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
