// What a log of nccl-tests says, before it is a measurement: rows, ranks and facts, in text or JSON form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/imports/imported.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// One half of a row, out of place or in place.
struct NcclTestsHalf {
  double time_us = 0;
  double algorithm_gbs = 0;        ///< as printed, 10^9 bytes per second
  double bus_gbs = 0;              ///< as printed
  std::optional<long long> wrong;  ///< results that were wrong; nothing where the tool did not check
};

/// One size.
struct NcclTestsRow {
  std::string where;  ///< its place, for errors: `log:line`, `log: results[0]`
  double size = 0;
  double count = 0;  ///< elements of one rank
  int element_bytes = 0;
  std::optional<bool> reduces;  ///< column `redop`: whether it names a reduction
  std::optional<int> root;      ///< -1 where the operation has none
  std::optional<NcclTestsHalf> out_of_place;
  std::optional<NcclTestsHalf> in_place;
};

struct NcclTestsRank {
  int rank = 0;
  std::string host;
  std::string device;

  bool operator==(const NcclTestsRank&) const = default;
};

struct NcclTestsLog {
  std::string source;                  ///< the file, for errors
  std::optional<std::string> program;  ///< `all_reduce_perf`
  std::optional<std::string> version;  ///< of nccl-tests
  std::optional<std::string> nccl;     ///< version of NCCL
  std::optional<std::string> network;  ///< from `Using network`
  std::optional<std::string> algorithm;
  std::optional<std::string> protocol;
  std::vector<NcclTestsRank> ranks;
  std::vector<NcclTestsRow> rows;
};

/// Bytes of one element of a type as nccl-tests spells it; nothing where it is no type.
std::optional<int> element_bytes(std::string_view type);

/// Checks the log and makes it a measurement: the out-of-place times, or the in-place ones where there are no
/// others. Bandwidths are recomputed from size and time and must agree with the printed ones; versions
/// before 2.1 printed all-gather and its kin from (N-1)/N of the bytes, which is accepted. Rows with wrong
/// results or without the chosen half are left out and counted.
///
/// @returns an Error for: no rows, unknown or ambiguous collective, unknown or mixed ranks, sizes that do not
/// rise,
///          times that are not finite and above 0, bandwidths of other rows, and no row that is left
/// Source: nccl-tests src/util.cu, src/common.cu, doc/PERFORMANCE.md.
netmodels::Result<Imported> to_measurements(const NcclTestsLog& log, const LogHints& hints);

}  // namespace calibrate::imports
