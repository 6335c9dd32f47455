// A played ledger as a document: for people, as rows, as JSON, and as the page of accuracy.
#pragma once

#include "calibrate/ledger/verdict.hpp"
#include "command_line/output_format.hpp"

namespace calibrate::ledger {

/// What `calibrate validate` prints. The text has one line per entry, what was skipped, and the overall line;
/// the rows are the figures; the JSON has `entries` (each with its errors in %, its band and its figures),
/// `skipped` and `overall`; the page also has what each rule has seen and the errors of each table.
/// @param outcome  must outlive the document
/// @param last     an earlier page; see print_page
command_line::Document outcome_document(const Outcome& outcome, std::string last = {});

}  // namespace calibrate::ledger
