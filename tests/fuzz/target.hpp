// A fuzz target by its name, and how libFuzzer's command line names one.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// Function that runs on bytes, whatever they are: it ends the program where a claim does not hold.
struct Target {
  std::string_view name;
  void (*run)(std::string_view);
};

/// The target of `--target=NAME`; with `--seeds=FOLDER` its seeds are first written there. libFuzzer passes
/// over options with two dashes. Ends the program where there is no such target.
/// @param seeds_of  accepted inputs of a target
inline const Target& chosen_target(std::span<const Target> targets, std::span<char* const> arguments,
                                   std::vector<std::string> (*seeds_of)(std::string_view target)) {
  std::string_view folder;
  const Target* chosen = nullptr;
  for (const std::string_view argument : arguments) {
    constexpr std::string_view target = "--target=";
    constexpr std::string_view seeds = "--seeds=";
    if (argument.starts_with(seeds)) folder = argument.substr(seeds.size());
    if (!argument.starts_with(target)) continue;
    const auto found = std::ranges::find(targets, argument.substr(target.size()), &Target::name);
    if (found != targets.end()) chosen = &*found;
  }
  if (chosen == nullptr) {
    std::fputs("unknown target; accepted, as --target=NAME:", stderr);
    for (const Target& target : targets) std::fprintf(stderr, " %s", target.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  if (folder.empty()) return *chosen;
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : seeds_of(chosen->name))
    std::ofstream(std::filesystem::path(folder) / ("seed-" + std::to_string(number++)), std::ios::binary)
        << seed;
  return *chosen;
}

}  // namespace fuzz
