// Names options and keys of an import's file where `sim check` names a scenario that was not written.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace calibrate {

/// A key of a scenario, and what states it in an import.
struct KeySource {
  std::string key;     ///< `workload.mfu`
  std::string source;  ///< an option, `--mfu`, or a key of the imported file
};

/// The path of the key whose value is at a place; empty where none is.
/// @param text          YAML as imports write it: maps in block form, whose values may be maps on one line
/// @param line, column  from 1
std::string key_at(std::string_view text, int line, int column);

/// A sentence of `sim check` on a scenario, in terms of the import: places in the scenario become the source
/// of the key that is there, or are left out; keys in backquotes, by their path or their last name,
/// become their sources.
/// @param name  of the scenario in the sentence
std::string with_sources(std::string sentence, const std::string& name, std::string_view text,
                         std::span<const KeySource> sources);

}  // namespace calibrate
