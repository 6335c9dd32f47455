// Writing and reading of files of fits.
#include "calibrate/fit_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/fit_keys.hpp"
#include "calibrate/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  Result<void> line(std::string_view text) {
    ++line_;
    std::string_view bare = trimmed(text);
    if (bare.empty() || bare.starts_with('#') || bare == "fits:" || bare == "segments:") return {};
    const bool is_item = bare.starts_with("- ");
    if (is_item) bare = trimmed(bare.substr(2));
    column_ = static_cast<int>(bare.data() - text.data()) + 1;
    if (is_item && bare.starts_with('{')) return segment(bare);
    if (is_item) {
      if (auto ended = end_record(); !ended) return ended;
      records_.emplace_back();
    }
    return key(bare);
  }

  Result<std::vector<FitRecord>> finish() {
    if (auto ended = end_record(); !ended) return tl::unexpected(ended.error());
    if (records_.empty())
      return refuse(std::string(source_), "there are no fits", "give a file that `calibrate fit` wrote");
    return std::move(records_);
  }

 private:
  [[nodiscard]] tl::unexpected<netmodels::Error> here(const netmodels::Error& error) const {
    return refuse(place(source_, line_, column_), error.what, error.mend);
  }

  Result<void> key(std::string_view text) {
    const std::size_t colon = text.find(": ");
    const std::string_view name = text.substr(0, colon);
    const auto row = std::ranges::find(fit_keys(), name, &FitKey::name);
    if (colon == std::string_view::npos || records_.empty() || row == fit_keys().end()) {
      std::vector<std::string_view> known;
      for (const FitKey& each : fit_keys()) known.push_back(each.name);
      return here(
          {"", fmt::format("`{}` is no known key here", name), netmodels::accepted_names(name, known)});
    }
    const auto read = row->read(records_.back(), trimmed(text.substr(colon + 2)));
    return read ? Result<void>() : here(read.error());
  }

  Result<void> segment(std::string_view text) {
    bool has_end = false;
    const auto read = read_segment(text, has_end);
    if (!read) return here(read.error());
    if (records_.empty() || closed_)
      return here({"", "a segment stands behind the last one of its fit", "the last has no `up_to`"});
    auto& segments = records_.back().fit.model.segments;
    if (!segments.empty() && has_end && read->up_to <= segments.back().up_to)
      return here({"", "the ends of the segments do not rise", "write the smallest sizes first"});
    segments.push_back(*read);
    closed_ = !has_end;
    return {};
  }

  /// The fit that was read until here is whole.
  Result<void> end_record() {
    if (records_.empty()) return {};
    const FitRecord& record = records_.back();
    if (record.operation == nullptr || record.ranks < 2 || !closed_) {
      return refuse(place(source_, line_, 1),
                    "a fit lacks `collective`, `ranks` (2 or more) or its last segment",
                    "the last segment has no `up_to`");
    }
    records_.back().fit.model.segments.back().up_to = record.largest;
    closed_ = false;
    return {};
  }

  std::string_view source_;
  int line_ = 0;
  int column_ = 1;
  bool closed_ = false;  // the last segment of the last record has been read
  std::vector<FitRecord> records_;
};

}  // namespace

FitRecord record_of(const Measurements& measured, const std::string& file, const Fit& fit) {
  FitRecord record{measured.operation,
                   measured.ranks,
                   measured.nodes,
                   measured.facts,
                   file,
                   measured.points.size(),
                   measured.points.front().size,
                   measured.points.back().size,
                   fit};
  record.facts.notes.clear();
  return record;
}

std::string print_fits(std::span<const FitRecord> records, std::string_view version) {
  std::string text = fmt::format(
      "# Time of collectives over size, fitted to measurements.\n"
      "# Provenance: `calibrate fit` of gradsim {}; each fit names its measurements and their source.\n"
      "# A call takes latency + size / 10^6 bytes * time_per_megabyte, for sizes up to and including "
      "`up_to`.\n"
      "# The errors, |predicted - measured| / measured, are of sizes that were held out of the fit.\n"
      "fits:\n",
      version);
  for (const FitRecord& record : records) {
    std::string_view before = "  - ";
    for (const FitKey& key : fit_keys()) {
      const std::string value = key.print(record);
      if (value.empty()) continue;
      text += fmt::format("{}{}: {}\n", before, key.name, value);
      before = "    ";
    }
    text += "    segments:\n";
    const auto& segments = record.fit.model.segments;
    for (const Segment& segment : segments)
      text += "      - " + print_segment(segment, &segment == &segments.back()) + "\n";
  }
  return text;
}

Result<std::vector<FitRecord>> parse_fits(std::string_view text, std::string_view source) {
  Reader reader(source);
  for (const std::string_view line : lines_of(text)) {
    if (const auto read = reader.line(line); !read) return tl::unexpected(read.error());
  }
  return reader.finish();
}

}  // namespace calibrate
