// The reference of scenario files as Markdown, made from the same descriptions that the reader uses.
#pragma once

#include <string>

#include "sim/language/metric.hpp"

namespace sim::scenario {

/// One section for each map: a table of its keys with type, default, accepted values and meaning, then for
/// each word that chooses among alternatives the keys which it adds. A map that occurs at several places has
/// one section, to which the others link.
/// @param metrics  what `expect` may name
std::string reference(language::ExpectableMetrics metrics);

}  // namespace sim::scenario
