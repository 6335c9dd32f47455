// The two JSON forms of Chakra execution traces.
#pragma once

#include <string>

#include "calibrate/imports/chakra_trace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Adds the nodes of a text to `trace`: one document with `workload_graph`, or objects one after the other,
/// the first of them the metadata. Numbers may be written as text.
/// @param trace  its `source` is named in errors
/// @returns an Error for JSON that is broken, cut short or not UTF-8 (with its byte), and for a node that is
/// no object
netmodels::Result<void> read_chakra_json(const std::string& text, ChakraTrace& trace);

}  // namespace calibrate::imports
