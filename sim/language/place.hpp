// The place of a value in a tree, for errors that are found after reading.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

/// The value at `cluster.changes[2].at`, or the nearest existing map or list above it.
const Value& nearest_place(const Value& root, std::string_view path);

/// The place of the value at `cluster.changes[2].at`, or of the nearest existing map or list above it.
std::string place_of(const Value& root, std::string_view path);

/// An Error at the value of `path`.
tl::unexpected<netmodels::Error> refuse_at(const Value& root, const std::string& path,
                                           const std::string& what, std::string hint);

/// `path[index]`
std::string item(const std::string& path, std::size_t index);

}  // namespace sim::language
