// The known name that a mistyped one most probably meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace netmodels {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one name into the other, letter
/// case and the separator of words aside (Damerau-Levenshtein distance in its optimal string alignment form).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that is one typing slip away from `name`: at most one edit for each three characters, or
/// else the first known name that contains `name`, or more than half of its words one after another.
/// @returns nothing where no known name is close enough to be worth a guess
std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> known);

/// "did you mean `ring`?", or an empty text where nothing is near.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

/// "a, b, c", for messages that list what is accepted.
std::string join(std::span<const std::string_view> names, std::string_view separator = ", ");

/// The hint for a wrong name: the nearest known one, if any, and the list of all.
std::string accepted_names(std::string_view name, std::span<const std::string_view> known);

/// The known name that is nearest to a wrong one, else the first, as a change whose key the caller fills in.
std::vector<Change> nearest_change(std::string_view name, std::span<const std::string_view> known);

}  // namespace netmodels
