// Reads Chakra execution traces in their three forms.
#pragma once

#include <istream>
#include <string>

#include "calibrate/imports/chakra_trace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads the trace of one rank: protobuf messages behind their lengths (schema 0.0.4), protobuf-JSON objects
/// one after the other (`chakra_jsonizer`), or the feeder's JSON (`workload_graph`). An attribute may have
/// any of protobuf's integer kinds.
/// @param stream  the bytes, unpacked
/// @param source  named in errors
/// @returns an Error for: 0 nodes; a message or JSON that is broken or cut short (with its number or byte);
/// JSON of more than 256 MB; more than 8,388,608 nodes Source: Chakra schema/protobuf/et_def.proto, version
/// 0.0.4; chakra_jsonizer; et_feeder's JSON.
netmodels::Result<ChakraTrace> read_chakra(std::istream& stream, const std::string& source);

}  // namespace calibrate::imports
