// `sim report`: from a run's folder or a sweep's file to a page.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "command_line/error_output.hpp"
#include "files/folder.hpp"
#include "files/input_file.hpp"
#include "netmodels/result.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/page_file.hpp"
#include "sim/report/run_folder.hpp"
#include "sim/report/run_page.hpp"
#include "sim/sweep/sweep_page.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;
using netmodels::Result;

constexpr std::size_t most_database_bytes = std::size_t{1} << 40;

struct ReportOptions {
  std::string source;
  std::string out;
  std::optional<std::string> chart_library;  ///< nothing: where it is by default
  bool quiet = false;
};

/// Whether it begins as every file of SQLite does, or is empty, which is one without tables.
bool is_database(const fs::path& file) {
  constexpr std::string_view magic = "SQLite format 3";
  std::ifstream stream(file, std::ios::binary);
  std::string begin(magic.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream.gcount() == 0 || begin == magic;
}

/// The hint for a file that is not a sweep.
std::string mend_of(const fs::path& file) {
  std::error_code unknown;
  if (file.extension() == ".yaml")
    return "run it by `sim run " + file.string() + " --out DIR`, then report on DIR";
  if (fs::exists(file.parent_path() / "summary.json", unknown))
    return "name its folder: sim report " + (file.has_parent_path() ? file.parent_path().string() : ".");
  return "name a folder that `sim run FILE --out DIR` filled, or a file that `sim sweep FILE --db DB` wrote";
}

Result<report::Page> read_sweep(const fs::path& file) {
  const auto store = sweep::SweepStore::open(file);
  if (!store) return tl::unexpected(netmodels::Error{"sim report", store.error().what, store.error().hint});
  return sweep::sweep_page(*store, file);
}

Result<report::Page> read_page(const fs::path& source) {
  std::error_code unknown;
  if (fs::is_directory(source, unknown)) return report::run_page(source);
  if (!fs::exists(source, unknown)) {
    return netmodels::refuse(
        "sim report", "`" + source.string() + "` is not there",
        "name a folder that `sim run FILE --out DIR` filled, or a file that `sim sweep FILE "
        "--db DB` wrote");
  }
  GRADSIM_TRY(readable, files::check_input(source, {.most_bytes = most_database_bytes}));
  if (!is_database(source))
    return netmodels::refuse("sim report",
                             "`" + source.string() + "` is not the folder of a run or the file of a sweep",
                             mend_of(source));
  return read_sweep(source);
}

/// Path of the page: in the folder of a run, or next to the file of a sweep.
fs::path target_of(const ReportOptions& options) {
  if (!options.out.empty()) return options.out;
  const fs::path source = options.source;
  std::error_code unknown;
  if (fs::is_directory(source, unknown)) return source / "report.html";
  return source.parent_path() / (source.stem().string() + ".html");
}

/// Whether two names, of which one need not be there, lead to one file.
bool are_same(const fs::path& one, const fs::path& other) {
  std::error_code unknown;
  return fs::equivalent(one, other, unknown) && !unknown;
}

/// Whether the page would overwrite its own input, under any name: SQLite keeps the newest
/// rows of a sweep in two files next to it.
bool is_of_source(const fs::path& target, const fs::path& source) {
  std::error_code unknown;
  if (!fs::is_directory(source, unknown)) {
    return are_same(target, source) || are_same(target, source.string() + "-wal") ||
           are_same(target, source.string() + "-shm");
  }
  return std::ranges::any_of(files::paths_in(source), [&](const fs::path& path) {
    const std::string name = path.filename().string();
    return report::is_of_run(name) && name != "report.html" && are_same(target, path);
  });
}

Result<fs::path> checked_target(const ReportOptions& options) {
  const fs::path target = target_of(options);
  std::error_code unknown;
  if (is_of_source(target, options.source)) {
    return netmodels::refuse(options.out.empty() ? "sim report" : "-o",
                             "`" + target.string() + "` is the input of the page", "name another file by -o");
  }
  if (fs::is_directory(target, unknown)) {
    return netmodels::refuse("-o", "`" + target.string() + "` is a folder", "name the output file");
  }
  return target;
}

/// @returns nothing where none is installed and none was asked for, with a message
Result<std::optional<std::string>> chart_library(const ReportOptions& options) {
  const fs::path path = options.chart_library ? fs::path(*options.chart_library) : default_chart_library();
  auto text = read_chart_library(path);
  if (text ? text->has_value() : !options.chart_library) return text;
  if (options.chart_library) {
    return netmodels::refuse("--chart-library", "`" + path.string() + "` cannot be read or is empty",
                             "name the file of Chart.js, chart.min.js");
  }
  if (!options.quiet) {
    std::cerr << "sim report: the page has no charts: `" << path.string()
              << "` was not found; it is in the Debian package libjs-chart.js\n";
  }
  return std::nullopt;
}

int refuse(const netmodels::Error& error) {
  command_line::print_error(std::cerr, error);
  return exit_refused;
}

int run(const ReportOptions& options) {
  const auto target = checked_target(options);
  if (!target) return refuse(target.error());
  const auto page = read_page(options.source);
  if (!page) return refuse(page.error());
  const auto charts = chart_library(options);
  if (!charts) return refuse(charts.error());
  const auto bytes = write_page(*page, *target, *charts);
  if (!options.quiet) std::cerr << target->string() << ": " << (bytes + 999) / 1000 << " kB\n";
  return exit_done;
}

}  // namespace

void add_report(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "report", "writes one HTML page on a run or a sweep, with charts, that needs no network");
  const auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("SOURCE", options->source,
                   "a folder that `sim run --out` filled, or a file that `sim sweep --db` wrote")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--out", options->out,
                   "the page; default: report.html in the folder, or beside the file under its name")
      ->type_name("FILE");
  command
      ->add_option("--chart-library", options->chart_library,
                   "Chart.js, which goes into the page; default: Debian's package libjs-chart.js")
      ->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "no output on stderr");
  command->footer(
      "Examples:\n  sim run scenarios/quickstart.yaml --out quickstart_run && sim report quickstart_run\n"
      "  sim report sweep.db -o sweep.html");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sim
