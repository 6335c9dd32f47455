// Prints played studies to stdout, in one of three formats.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/output/expectations.hpp"
#include "sim/output/played_study.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

/// One file, read and played. It does not move, because its study points into its reading.
struct PlayedFile {
  PlayedFile(const std::string& file, scenario::Reading read)
      : reading(std::move(read)), study{file, &reading.study, {}} {}
  PlayedFile(const PlayedFile&) = delete;
  PlayedFile& operator=(const PlayedFile&) = delete;

  scenario::Reading reading;
  output::PlayedStudy study;
  output::ExpectationReport expectations;
};

/// Tables and CSV appear as soon as a file has been played; JSON at the end, because it is one object.
class ResultsPrinter {
 public:
  /// @param format  table, csv or json
  explicit ResultsPrinter(std::string format) : format_(std::move(format)) {}

  void add(std::unique_ptr<PlayedFile> file);
  void finish();

 private:
  std::string format_;
  std::vector<std::unique_ptr<PlayedFile>> files_;
};

}  // namespace sim
