// Shell completion: scripts that complete commands, options and their values.
#pragma once

#include <string>

#include "command_line/described.hpp"

namespace command_line {

/// For bash: `source <(sim completion bash)`. Values without a list are completed as files.
std::string bash_completion(const DescribedCommand& program);
/// For zsh, as a file `_sim` of a folder on $fpath, or `source <(sim completion zsh)` behind `compinit`.
std::string zsh_completion(const DescribedCommand& program);
/// For fish: `sim completion fish | source`.
std::string fish_completion(const DescribedCommand& program);

}  // namespace command_line
