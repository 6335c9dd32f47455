// Import of logs of nccl-tests, text and JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/imports/imported.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

// The contents of an nccl-tests log before it becomes a measurement: rows, ranks and facts, as text or JSON.

/// One half of a row, out of place or in place.
struct NcclTestsHalf {
  double time_us = 0;
  double algorithm_gbs = 0;        ///< as printed, 10^9 bytes per second
  double bus_gbs = 0;              ///< as printed
  std::optional<long long> wrong;  ///< results that were wrong; nothing where the tool did not check
};

/// One size.
struct NcclTestsRow {
  std::string where;  ///< place for errors: `log:line`, `log: results[0]`
  double size = 0;
  double count = 0;  ///< elements of one rank
  int element_bytes = 0;
  std::string type;             ///< type of an element, as printed
  std::string reduction;        ///< as printed; empty: not printed
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
  std::string tool = "nccl-tests";     ///< or rccl-tests
  std::optional<std::string> program;  ///< `all_reduce_perf`
  std::optional<std::string> version;  ///< version of the tool
  std::optional<std::string> nccl;     ///< version of NCCL
  std::optional<std::string> network;  ///< name after `Using network`
  std::optional<std::string> algorithm;
  std::optional<std::string> protocol;
  std::optional<std::string> failure;        ///< failure of the run, as the log reports it, with its line
  std::optional<std::string> wrong_results;  ///< as the log reports them, with its line
  bool has_begin = false;                    ///< lines of the tool before its rows
  bool has_end = false;                      ///< the line after them, of the average bandwidth
  std::vector<NcclTestsRank> ranks;
  std::vector<NcclTestsRow> rows;
};

/// Bytes of one element of a type as nccl-tests spells it; nothing for an unknown type.
std::optional<int> element_bytes(std::string_view type);

/// Checks the log and converts it to a measurement: the out-of-place times, or the in-place ones where there
/// are no others. Bandwidths are recomputed from size and time and must agree with the printed ones; versions
/// before 2.1 printed all-gather and its kin from (N-1)/N of the bytes, which is accepted. Rows of size 0,
/// with wrong results or without the chosen half are left out and counted; a run that failed, or whose last
/// lines are missing, is listed among what is skipped and in the notes of the measurement.
///
/// @returns an Error for: no rows, unknown or ambiguous collective, unknown or mixed ranks, sizes that do not
/// rise,
///          times that are not finite and above 0, bandwidths of other rows, and no row that is left
/// Source: nccl-tests src/util.cu, src/common.cu, doc/PERFORMANCE.md.
netmodels::Result<Imported> to_measurements(const NcclTestsLog& log, const LogHints& hints);

// One row of nccl-tests' text: which numbers are which, in all its versions.

/// The contents of the line of column names above the rows.
struct NcclTestsHeader {
  bool seen = false;      ///< false: an excerpt without it; the number of words decides
  bool has_root = false;  ///< since 2.12 always; before, of rooted operations only
  bool has_more = false;  ///< columns after the in-place half (time stamp by -S, statistics by -I)
};

/// @returns the header, where the line is one (`# size count type ...`)
std::optional<NcclTestsHeader> read_nccl_tests_header(std::string_view line);

/// Whether a line begins as a row does: two whole numbers and a type.
bool begins_nccl_tests_row(std::string_view line);

/// Position where the line proper begins behind the prefix of a launcher, or of several: at a `#`, or as a
/// row does; otherwise behind mpirun's, or 0.
std::size_t nccl_tests_prefix(std::string_view line);

/// Reads `size count type [redop] [root] | time algbw busbw wrong | the same in place [more]`. A half of
/// blanks (the width of one, 20 or more) is one that was not measured; `wrong` may be N/A.
/// @param line   for which `begins_nccl_tests_row` holds
/// @param where  `file:line`, for errors
/// @returns an Error naming the column where a number is missing, cut short or none
netmodels::Result<NcclTestsRow> read_nccl_tests_row(std::string_view line, const NcclTestsHeader& header,
                                                    const std::string& where);

// The JSON form of nccl-tests' results (`-J FILE`, since 2.17.3).

/// Reads devices, configuration and results. Numbers may be written as strings (`"nan"`, `"N/A"`).
/// @param source  named in errors
/// @returns an Error for text that is not complete JSON (with its place), and for a result without size,
/// count or type Source: nccl-tests src/util.cu, 2.19.6.
netmodels::Result<NcclTestsLog> read_nccl_tests_json(std::string_view text, const std::string& source);

// The text that nccl-tests prints, as it ends up in log files.

/// Reads the output of every version since 2.0, and of rccl-tests: 12 or 13 columns, lines behind any prefix
/// of a launcher or collector of logs (`[1,0]<stdout>:`, `0: `, `worker-0 | `, time stamps), NCCL's own lines
/// between the rows or in the middle of one, blank out-of-place halves, and lines of other programs, which
/// are passed over unless they report a failure.
///
/// @param source  named in errors
/// @returns an Error for a row that is cut short or has a cell that is not a number, and for a second test in
/// the same log Leaves out: the columns of -S and -I, and rows of more than one test per log. Source:
/// nccl-tests src/common.cu and src/util.cu, versions 2.0 to 2.19.
netmodels::Result<NcclTestsLog> read_nccl_tests_text(std::string_view text, const std::string& source);

// Import of nccl-tests measurements, from text or JSON.

/// Reads either form (JSON where the first character is `{`) and checks it.
/// @param source  named in errors; the file's name is kept as the source
/// @returns the measurement, or an Error as of `read_nccl_tests_text`, `read_nccl_tests_json` and
/// `to_measurements`
netmodels::Result<Imported> import_nccl_tests(std::string_view text, const std::string& source,
                                              const LogHints& hints);

}  // namespace calibrate::imports
