// `calibrate fit`: measurements files become a file of fits.
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/fits/fit_file.hpp"
#include "calibrate/fits/held_out.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// Description of the chosen model: `2 segments`, `lines between 25 sizes, 2 segments beyond`.
std::string shape_of(const fits::SegmentModel& model) {
  const std::size_t count = model.segments.size();
  const std::string segments = fmt::format("{} {}", count, count == 1 ? "segment" : "segments");
  if (model.interpolation == fits::Interpolation::segments) return segments;
  return fmt::format("{} between {} sizes, {} beyond", to_string(model.interpolation), model.points.size(),
                     segments);
}

std::string describe(const std::string& file, const fits::Fit& fit) {
  return fmt::format("{}: {}; held out by {}: mean {:.1f} %, median {:.1f} %, worst {:.1f} %\n", file,
                     shape_of(fit.model), to_string(fit.by), 100 * fit.held_out.mean,
                     100 * fit.held_out.median, 100 * fit.held_out.worst);
}

Result<fits::FitRecord> fit_file(const std::string& file, std::optional<int> segments) {
  GRADSIM_TRY(text, files::read_input(file));
  GRADSIM_TRY(measured, measurements::parse_csv(*text, file));
  const auto fit = fits::fit_held_out(measured->points, segments);
  if (!fit) return refuse(file, fit.error().what, fit.error().hint);
  return fits::record_of(*measured, std::filesystem::path(file).filename().string(), *fit);
}

Result<std::vector<fits::FitRecord>> fit_all(const FitOptions& options, std::ostream& log) {
  std::optional<int> segments;
  if (options.segments != "auto") segments = options.segments.front() - '0';
  std::vector<fits::FitRecord> records;
  std::optional<netmodels::Error> outside;
  for (const std::string& file : options.files) {
    GRADSIM_TRY(record, fit_file(file, segments));
    if (!options.quiet) log << describe(file, record->fit);
    const double error = 100 * record->fit.held_out.mean;
    if (error > options.band_percent && !outside) {
      outside = {file,
                 fmt::format("the mean held-out error of {:.1f} % is above the band of {} %", error,
                             options.band_percent),
                 "measure more sizes or pin the algorithm; --force writes it anyway"};
    }
    records.push_back(std::move(*record));
  }
  if (outside && !options.force) return tl::unexpected(*outside);
  return records;
}

}  // namespace

int run_fit(const FitOptions& options, std::ostream& out, std::ostream& log) {
  const auto records = fit_all(options, log);
  const auto written =
      records ? files::write_output(options.output, fits::print_fits(*records, options.version), out)
              : Result<void>(tl::unexpected(records.error()));
  if (written) return exit_done;
  log << written.error().text() << "\n";
  return exit_refused;
}

}  // namespace calibrate
