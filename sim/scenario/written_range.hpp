// Ranges that are written as one text, as others do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "settings/type.hpp"

namespace sim::scenario {

/// `{value: 5.5 Gbit/s, range: [1 Gbit/s, 10 Gbit/s]}` of `1-10 Gbit/s`, `1..10 Gbit/s` or `1 to 10 Gbit/s`;
/// nothing for a text that is no range of values of the type.
std::optional<std::string> written_range(std::string_view text, const settings::Type& type);

}  // namespace sim::scenario
