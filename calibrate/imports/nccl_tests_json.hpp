// The JSON form of nccl-tests' results (`-J FILE`, since 2.17.3).
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/nccl_tests_log.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads devices, configuration and results. Numbers may be written as strings (`"nan"`, `"N/A"`).
/// @param source  named in errors
/// @returns an Error for text that is no whole JSON (with its place), and for a result without size, count or
/// type Source: nccl-tests src/util.cu, 2.19.6.
netmodels::Result<NcclTestsLog> read_nccl_tests_json(std::string_view text, const std::string& source);

}  // namespace calibrate::imports
