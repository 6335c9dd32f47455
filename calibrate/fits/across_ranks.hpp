// Time of a collective over size and number of ranks, from tables on some numbers of ranks.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "calibrate/fits/segments.hpp"
#include "calibrate/measurements/measurement.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// t = start + steps(N) per_step + f(N) S per_byte, where f is nccl-tests' bus factor and steps the rounds of
/// a ring: 2(N-1) for an all-reduce, N-1 for the others.
struct RingModel {
  const measurements::Operation* operation = nullptr;
  netmodels::Seconds start;     ///< constant time of every call
  netmodels::Seconds per_step;  ///< alpha
  TimePerByte per_byte;         ///< beta, of a byte on the busiest link
};

/// Fits the three by relative robust least squares to all tables together; of each table sizes that lie at
/// least a factor of 2^(1/4) apart.
/// @param tables  of one operation, on at least two numbers of ranks
/// @returns an Error with an empty `where` for mixed operations, or fewer numbers of ranks
/// Leaves out: protocols that change with size, and links whose number changes with the ranks (a ring through
///             a hybrid cube mesh is as quick as its slowest edge, which this form does not know).
netmodels::Result<RingModel> fit_across_ranks(std::span<const measurements::Measurements> tables);

netmodels::Seconds predict(const RingModel& model, int ranks, netmodels::Bytes size);

/// The table on the most ranks L, scaled to N by the bytes on the busiest link:
///
///   t(N, S) = t_L(S f(N) / f(L)),   f: nccl-tests' bus factor
///
/// with straight lines between its sizes; beyond them one line is extended.
struct LargestTable {
  const measurements::Operation* operation = nullptr;
  int ranks = 0;  ///< L
  SegmentModel times;
};

/// @param tables  as of `fit_across_ranks`, on any numbers of ranks
/// @returns an Error with an empty `where` for mixed operations, or fewer than 3 sizes on the most ranks
/// Leaves out: steps that more ranks add, and links whose number changes with the ranks.
netmodels::Result<LargestTable> largest_table_of(std::span<const measurements::Measurements> tables);

netmodels::Seconds predict(const LargestTable& model, int ranks, netmodels::Bytes size);

/// One of the two, and its error.
struct RanksModel {
  std::variant<LargestTable, RingModel> model;
  std::optional<double> held_out;  ///< mean relative error on left-out tables; nothing: not compared
};

/// The name of what was chosen: `largest table` or `ring`.
std::string_view name_of(const RanksModel& model);

/// The model with the less mean relative error on tables that are left out: each but those on the two fewest
/// numbers of ranks is predicted from the tables on fewer ranks, as more ranks than measured are what is
/// asked for. On two numbers of ranks nothing can be compared, as the ring needs two: the largest table.
/// @param tables  of one operation, on at least two numbers of ranks
/// @returns an Error with an empty `where`, as the two fits do
netmodels::Result<RanksModel> choose_across_ranks(std::span<const measurements::Measurements> tables);

netmodels::Seconds predict(const RanksModel& model, int ranks, netmodels::Bytes size);

}  // namespace calibrate::fits
