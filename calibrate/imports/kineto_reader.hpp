// Reads the JSON of a PyTorch profiler trace event by event.
#pragma once

#include <istream>
#include <string>

#include "calibrate/imports/kineto_trace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads a Chrome trace as Kineto writes it, of any size: no more of it is held than one event and what
/// `KinetoTrace` keeps.
/// @param stream  the JSON, unpacked
/// @param source  named in errors
/// @returns an Error for text that is no whole JSON or not UTF-8 (with its byte), a document without
/// `traceEvents`, and more than `most_kept_events` that would be kept
/// Leaves out: flows, instants, counters, stacks; operators without a sequence number.
/// Source: PyTorch profiler (Kineto) Chrome trace, schemaVersion 1; spellings of 2021 (`Operator`, `Kernel`)
/// are known too.
netmodels::Result<KinetoTrace> read_kineto(std::istream& stream, const std::string& source);

}  // namespace calibrate::imports
