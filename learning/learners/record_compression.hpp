// A compression as one phrase of a record's facts and of labels.
#pragma once

#include <string>
#include <string_view>

#include "learning/learners/learner.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

/// `none`, `topk 0.01`, `topk 0.01 without error feedback`, `ar_topk 0.01 by variance`.
std::string print_compression(const Compression& compression);

/// Reads what `print_compression` writes.
/// @returns an Error without a place for any other phrase or a ratio outside (0, 1]
netmodels::Result<Compression> parse_compression(std::string_view phrase);

/// Whether all of the gradient is sent as it is: `none`, or a ratio of 1 with a method that leaves out values
/// and changes none (`sparse` in the table of wire formats). fp16, qsgd, signsgd and the like send every
/// value, but another one.
bool sends_all(const Compression& compression);

/// The name under which tables keep what is known of a compression: its method, and `_by_variance` behind it
/// where the worker with the largest norm chooses.
std::string table_name(const Compression& compression);

}  // namespace learning::learners
