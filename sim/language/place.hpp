// The place of a value in a tree, for errors that are found after reading.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

/// The value at `cluster.changes[2].at`, or the nearest existing map or list above it.
const Value& nearest_place(const Value& root, std::string_view path);

/// The place of the value at `cluster.changes[2].at`, or of the nearest existing map or list above it.
std::string place_of(const Value& root, std::string_view path);

/// The path of the value that was written at a place; empty where no value was.
/// @param place  as `place_of` returns it
std::string path_at(const Value& root, std::string_view place);

/// An Error at the value of `path`.
/// @param remedy  changes with which it is gone; empty: none is known
tl::unexpected<netmodels::Error> refuse_at(const Value& root, const std::string& path,
                                           const std::string& what, std::string hint,
                                           std::vector<netmodels::Change> remedy = {});

/// `path[index]`
std::string item(const std::string& path, std::size_t index);

}  // namespace sim::language
