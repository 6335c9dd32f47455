// The text that nccl-tests prints, as it ends up in log files.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/nccl_tests_log.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads the output of every version since 2.0: 12 or 13 columns, lines prefixed by mpirun
/// (`[1,0]<stdout>:`), srun -l
/// (`0: `) or a container's name (`worker-0: `, `worker-0 | `), NCCL's own lines between the rows or in the
/// middle of one, blank out-of-place halves, and lines of other programs, which are passed over.
///
/// @param source  named in errors
/// @returns an Error for a row that is cut short or holds what is no number, and for a second test in the
/// same log Leaves out: the columns of -S and -I, and rows of more than one test per log. Source: nccl-tests
/// src/common.cu and src/util.cu, versions 2.0 to 2.19.
netmodels::Result<NcclTestsLog> read_nccl_tests_text(std::string_view text, const std::string& source);

}  // namespace calibrate::imports
