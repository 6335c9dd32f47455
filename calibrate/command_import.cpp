// `calibrate import`: other tools' logs become measurements files.
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<imports::LogHints> read_hints(const ImportOptions& options) {
  imports::LogHints hints;
  if (!options.collective.empty()) {
    const auto operation = measurements::find_operation(options.collective);
    if (!operation) return refuse("--collective", operation.error().what, operation.error().hint);
    hints.operation = *operation;
  }
  GRADSIM_TRY(ranks, read_count("--ranks", options.ranks, {.least = 2}));
  GRADSIM_TRY(nodes, read_count("--nodes", options.nodes, {}));
  hints.ranks = *ranks;
  hints.nodes = *nodes;
  return hints;
}

Result<imports::Imported> import_file(const ImportOptions& options, const std::string& file,
                                      const imports::LogHints& hints) {
  GRADSIM_TRY(text, files::read_terminal_text(file));
  return options.tool == "osu" ? imports::import_osu(*text, file, hints)
                               : imports::import_nccl_tests(*text, file, hints);
}

Result<measurements::Measurements> import_all(const ImportOptions& options, std::ostream& log) {
  GRADSIM_TRY(hints, read_hints(options));
  std::vector<measurements::Measurements> sets;
  for (const std::string& file : options.files) {
    GRADSIM_TRY(imported, import_file(options, file, *hints));
    for (const std::string& skipped : imported->skipped) {
      if (!options.quiet) log << file << ": " << skipped << "\n";
    }
    sets.push_back(std::move(imported->measured));
  }
  auto measured = merge(sets);
  if (!measured) return measured;
  if (options.network) measured->facts.network = options.network;
  if (options.source) measured->facts.source = options.source;
  if (options.licence) measured->facts.licence = options.licence;
  return measured;
}

}  // namespace

int run_import(const ImportOptions& options, std::ostream& out, std::ostream& log) {
  const auto measured = import_all(options, log);
  const auto written = measured ? files::write_output(options.output, measurements::print_csv(*measured), out)
                                : Result<void>(tl::unexpected(measured.error()));
  if (!written) {
    log << written.error().text() << "\n";
    return exit_refused;
  }
  if (!options.quiet)
    log << fmt::format("{} on {} ranks, {} sizes\n", measured->operation->name, measured->ranks,
                       measured->points.size());
  return exit_done;
}

}  // namespace calibrate
