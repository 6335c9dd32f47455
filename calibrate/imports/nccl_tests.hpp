// Import of what nccl-tests measured, from its text or its JSON.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/nccl_tests_log.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads either form (JSON where the first character is `{`) and checks it.
/// @param source  named in errors; the file's name is kept as the source
/// @returns the measurement, or an Error as of `read_nccl_tests_text`, `read_nccl_tests_json` and
/// `to_measurements`
netmodels::Result<Imported> import_nccl_tests(std::string_view text, const std::string& source,
                                              const LogHints& hints);

}  // namespace calibrate::imports
