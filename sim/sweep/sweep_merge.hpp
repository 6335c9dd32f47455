// The parts of a sweep, joined into the file that one process would have written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace sim::sweep {

/// Points of a merged file.
struct MergeOutcome {
  std::size_t files = 0;   ///< files that were joined, without an earlier merged file
  std::size_t points = 0;  ///< points of the sweep
  std::size_t failed = 0;
  std::size_t missing = 0;
  std::vector<SweepPart> missing_parts;  ///< parts with missing points; empty where all files differ in N

  /// The missing points, as in "parts 3/20 and 7/20 are missing or not complete"; empty: none.
  [[nodiscard]] std::string missing_text() const;
};

/// Joins files of one sweep into `target`, which is replaced as a whole. A point is the same in two files
/// where its number is, since their studies, axes, designs and versions must be equal; it is taken once. A
/// completed point replaces a failed one. The rows are ordered by point, so that the same points give the
/// same bytes, however they were divided; merging again changes nothing.
/// @param named   files, and folders whose files of parts are meant
/// @param target  an earlier merged file is one more source
/// @returns an Error at `--merge` for files of no sweep, of another sweep or version, that are damaged or
/// being
///          written, and where two files have other results for one point; at `--db` for a target of another
///          sweep. Then the target stays as it was.
/// @throws std::runtime_error where the disk does not take the file
netmodels::Result<MergeOutcome> merge_parts(const std::vector<std::filesystem::path>& named,
                                            const std::filesystem::path& target);

/// Numbers of the completed points in the file of a sweep, rising; none where there is no file.
/// @returns an Error at `--db` where it is no sweep's or another's
netmodels::Result<std::vector<std::size_t>> points_in(const std::filesystem::path& file,
                                                      const SweepIdentity& identity);

}  // namespace sim::sweep
