// Prints played studies to stdout: what stands between several of them.
#include "sim/results_printer.hpp"

#include <iostream>

#include "sim/output/comparison.hpp"
#include "sim/output/csv.hpp"
#include "sim/output/json.hpp"
#include "sim/output/report_text.hpp"
#include "sim/terminal.hpp"

namespace sim {

void ResultsPrinter::add(std::unique_ptr<PlayedFile> file) {
  files_.push_back(std::move(file));
  const PlayedFile& played = *files_.back();
  const bool first = files_.size() == 1;
  if (format_ == "table")
    std::cout << (first ? "" : "\n") << for_stdout(report_text(played.study, played.expectations))
              << std::flush;
  if (format_ == "csv") {
    const output::Sheet sheet = comparison(played.study);
    std::cout << (first ? csv_header(sheet) : "") << csv_rows(sheet) << std::flush;
  }
}

void ResultsPrinter::finish() {
  if (format_ != "json" || files_.empty()) return;
  std::vector<output::JudgedStudy> studies;
  for (const auto& file : files_) studies.push_back({&file->study, &file->expectations});
  std::cout << (studies.size() == 1 ? study_json(studies.front()) : studies_json(studies));
}

}  // namespace sim
