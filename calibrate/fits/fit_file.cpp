// Writing and reading of files of fits.
#include "calibrate/fits/fit_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/entries.hpp"
#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::fits {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// Reads the entries of one file into fits.
class FitFileReader {
 public:
  explicit FitFileReader(std::string_view source) : source_(source) {}

  Result<FitRecord> record(const files::Entry& entry) {
    FitRecord record;
    for (const files::Field& field : entry.fields) {
      GRADSIM_TRY(read, field.name.text == "segments" ? segments(field, record)
                        : field.name.text == "points" ? points(field, record)
                                                      : key(field, record));
    }
    auto& pieces = record.fit.model.segments;
    if (record.operation == nullptr || record.ranks < 2 || pieces.empty() || pieces.back().up_to.count > 0) {
      return refuse(files::place(source_, entry.last_line, 1),
                    "a fit lacks `collective`, `ranks` (2 or more) or its last segment",
                    "the last segment has no `up_to`");
    }
    pieces.back().up_to = record.largest;
    if (const auto error = netmodels::problem_with_points(record.fit.model))
      return refuse(files::place(source_, entry.last_line, 1), error->what, error->hint);
    return record;
  }

 private:
  [[nodiscard]] tl::unexpected<netmodels::Error> at(const files::PlacedText& text,
                                                    const netmodels::Error& error) const {
    return refuse(files::place(source_, text), error.what, error.hint);
  }

  Result<void> key(const files::Field& field, FitRecord& record) const {
    const auto row = std::ranges::find(fit_keys(), field.name.text, &FitKey::name);
    if (row == fit_keys().end() || !field.value) {
      std::vector<std::string_view> known;
      for (const FitKey& each : fit_keys()) known.push_back(each.name);
      return at(field.name, {"", fmt::format("unknown key `{}` here", field.name.text),
                             netmodels::accepted_names(field.name.text, known)});
    }
    const auto read = row->read(record, field.value->text);
    return read ? Result<void>() : at(field.name, read.error());
  }

  /// Only the last segment has no end; it gets 0 until the whole fit is read.
  Result<void> segments(const files::Field& field, FitRecord& record) const {
    auto& pieces = record.fit.model.segments;
    for (const files::PlacedText& item : field.items) {
      bool has_end = false;
      const auto read = read_segment(item.text, has_end);
      if (!read) return at(item, read.error());
      if (!pieces.empty() && pieces.back().up_to.count == 0)
        return at(item, {"", "a segment follows the last one of its fit", "the last has no `up_to`"});
      if (!pieces.empty() && has_end && read->up_to <= pieces.back().up_to)
        return at(item, {"", "the ends of the segments do not increase", "write the smallest sizes first"});
      pieces.push_back(*read);
      if (!has_end) pieces.back().up_to = {};
    }
    return {};
  }

  Result<void> points(const files::Field& field, FitRecord& record) const {
    for (const files::PlacedText& item : field.items) {
      const auto read = read_point(item.text);
      if (!read) return at(item, read.error());
      record.fit.model.points.push_back(*read);
    }
    return {};
  }

  std::string_view source_;
};

}  // namespace

FitRecord record_of(const measurements::Measurements& measured, const std::string& file, const Fit& fit) {
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
      "# Where `interpolation` is `lines` (time over size) or `log_lines` (log time over log size), sizes "
      "between\n"
      "# neighbouring `points` follow that; those beyond follow the segments, scaled to the last "
      "point.\n"
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
    if (!record.fit.model.points.empty()) text += "    points:\n";
    for (const netmodels::MeasuredTime& point : record.fit.model.points)
      text += "      - " + print_point(point) + "\n";
  }
  return text;
}

Result<std::vector<FitRecord>> parse_fits(std::string_view text, std::string_view source) {
  GRADSIM_TRY(entries, files::read_entries(text, "fits", source));
  if (entries->empty())
    return refuse(std::string(source), "no fits found", "give a file that `calibrate fit` wrote");
  FitFileReader reader(source);
  std::vector<FitRecord> records;
  for (const files::Entry& entry : *entries) {
    GRADSIM_TRY(record, reader.record(entry));
    records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace calibrate::fits
