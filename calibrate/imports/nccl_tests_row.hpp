// One row of nccl-tests' text: which numbers are which, in all its versions.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/nccl_tests_log.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// What the line of column names above the rows says.
struct NcclTestsHeader {
  bool seen = false;      ///< false: an excerpt without it; the number of words decides
  bool has_root = false;  ///< since 2.12 always; before, of rooted operations only
  bool has_more = false;  ///< columns behind the in-place half (time stamp by -S, statistics by -I)
};

/// @returns the header, where the line is one (`# size count type ...`)
std::optional<NcclTestsHeader> read_nccl_tests_header(std::string_view line);

/// Whether a line begins as a row does: two whole numbers and a type.
bool begins_nccl_tests_row(std::string_view line);

/// Reads `size count type [redop] [root] | time algbw busbw wrong | the same in place [more]`. A half of
/// blanks (the width of one, 20 or more) is one that was not measured; `wrong` may be N/A.
/// @param line   for which `begins_nccl_tests_row` holds
/// @param where  `file:line`, for errors
/// @returns an Error naming the column where a number is missing, cut short or none
netmodels::Result<NcclTestsRow> read_nccl_tests_row(std::string_view line, const NcclTestsHeader& header,
                                                    const std::string& where);

}  // namespace calibrate::imports
