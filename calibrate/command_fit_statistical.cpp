// `calibrate fit statistical`: fits a model of steps, accuracy and noise over progress to whole trainings.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/fits/statistical.hpp"
#include "calibrate/fits/statistical_run.hpp"
#include "calibrate/imports/adaptdl.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

double unit_of(const FitStatisticalOptions& options) { return options.percent ? 0.01 : 1; }

Result<std::vector<fits::TrainingRun>> trainings_of(const std::vector<imports::AdaptdlRun>& measured,
                                                    const FitStatisticalOptions& options) {
  const auto initial = options.initial_batch ? options.initial_batch : imports::initial_batch(measured);
  std::vector<fits::TrainingRun> runs;
  for (const imports::AdaptdlRun& run : measured) {
    GRADSIM_TRY(training, imports::training_of(run, initial, unit_of(options)));
    runs.push_back(std::move(*training));
  }
  return runs;
}

Result<std::vector<fits::TrainingRun>> read_runs(const FitStatisticalOptions& options) {
  std::vector<imports::AdaptdlRun> measured;
  std::vector<fits::TrainingRun> runs;
  for (const std::string& file : options.files) {
    GRADSIM_TRY(text, files::read_input(file));
    if (imports::is_adaptdl(*text)) {
      GRADSIM_TRY(run, imports::import_adaptdl(*text, file));
      measured.push_back(std::move(*run));
    } else {
      GRADSIM_TRY(run, fits::read_training(*text, file));
      runs.push_back(std::move(*run));
    }
  }
  if (!measured.empty() && !runs.empty()) {
    return refuse(runs.front().file, "this is a record, but others are validation files of AdaptDL",
                  "fit each kind by itself");
  }
  return measured.empty() ? runs : trainings_of(measured, options);
}

/// Fact from the command line, or else from the first file.
Result<std::string> fact(const fits::TrainingRun& run, const std::optional<std::string>& said,
                         const std::string& key, const std::string& option) {
  if (said) return *said;
  const auto found = std::ranges::find(run.facts, key, [](const auto& pair) { return pair.first; });
  if (found != run.facts.end() && !found->second.empty()) return found->second;
  return refuse(option, fmt::format("`{}` does not state its {}", run.file, key),
                fmt::format("state it by {}", option));
}

Result<fits::LawFacts> read_facts(const fits::TrainingRun& run, const FitStatisticalOptions& options) {
  fits::LawFacts facts;
  struct Row {
    std::string key;
    std::string option;
    const std::optional<std::string>& said;
    std::string& target;
  };
  for (const Row& row : {Row{"model", "--model", options.model, facts.model},
                         Row{"data_set", "--data-set", options.data_set, facts.data_set},
                         Row{"source", "--source", options.source, facts.source},
                         Row{"licence", "--licence", options.licence, facts.licence}}) {
    GRADSIM_TRY(value, fact(run, row.said, row.key, row.option));
    row.target = std::move(*value);
    std::ranges::replace(row.target, '\n', ' ');
  }
  const auto said = options.samples ? std::optional(std::to_string(*options.samples)) : std::nullopt;
  GRADSIM_TRY(samples, fact(run, said, "data_set_samples", "--samples"));
  const auto count = files::read_integer(*samples);
  if (!count || *count < 1) {
    return refuse("--samples", fmt::format("`{}` is not a number of samples", *samples),
                  "accepted: a whole number of at least 1");
  }
  facts.data_set_samples = *count;
  return facts;
}

Result<void> check(const FitStatisticalOptions& options) {
  const double target = options.target * unit_of(options);
  if (!(target > 0 && target <= 1)) {
    return refuse("--target", fmt::format("`{}` is not a share", options.target),
                  "accepted: above 0 to 1, or above 0 to 100 with --percent");
  }
  if (options.initial_batch && !(*options.initial_batch >= 1 && std::isfinite(*options.initial_batch))) {
    return refuse("--initial-batch", fmt::format("`{}` is not a batch", *options.initial_batch),
                  "accepted: a number of at least 1");
  }
  return {};
}

/// Checks the error on held-out batches, where there are three: a line through two of them has no error of
/// its own.
Result<void> check_band(const fits::BatchFit& batches, const FitStatisticalOptions& options) {
  const double error = 100 * batches.held_out.value_or(batches.in_sample).mean;
  if (error <= options.band_percent || options.force) return {};
  return refuse("",
                fmt::format("the mean error of {:.1f} % ({}) is above the band of {} %", error,
                            batches.held_out ? "one batch held out"
                                             : "in sample, as fewer than three batches are given",
                            options.band_percent),
                "give more trainings or another target; --force writes it anyway");
}

Result<std::string> fit_law(const FitStatisticalOptions& options, std::ostream& log) {
  if (const auto checked = check(options); !checked) return tl::unexpected(checked.error());
  GRADSIM_TRY(runs, read_runs(options));
  GRADSIM_TRY(facts, read_facts(runs->front(), options));
  const fits::StepsTo steps_to = options.steps_to == "first" ? fits::StepsTo::first : fits::StepsTo::smoothed;
  GRADSIM_TRY(fit, fits::fit_statistical(*runs, options.target * unit_of(options), steps_to));
  if (!options.quiet) log << fits::describe_fit(*fit);
  if (const auto held = check_band(fit->batches, options); !held) return tl::unexpected(held.error());
  return fits::print_law(*fit, *facts, options.version);
}

}  // namespace

int run_fit_statistical(const FitStatisticalOptions& options, std::ostream& out, std::ostream& log) {
  const auto law = fit_law(options, log);
  const auto written =
      law ? files::write_output(options.output, *law, out) : Result<void>(tl::unexpected(law.error()));
  if (written) return exit_done;
  log << written.error().text() << "\n";
  return exit_refused;
}

}  // namespace calibrate
