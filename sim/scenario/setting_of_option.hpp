// Settings that mean what an option of another program says.
#pragma once

#include <string>
#include <string_view>

namespace sim::scenario {

/// "`--set training.steps=10`" of `--steps 10` or `--max-steps 10`; "`--set cluster.workers=VALUE` (nodes
/// times the GPUs of each)" where the value of our key does not follow from that of the option.
/// @param name   of the option, without dashes
/// @param value  may be empty: VALUE is written then
/// @returns an empty text where no single key has the meaning
std::string setting_of_option(std::string_view name, std::string_view value);

}  // namespace sim::scenario
