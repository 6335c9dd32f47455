// Printing of fitted models.
#include <fmt/format.h>

#include "calibrate/fits/statistical.hpp"
#include "netmodels/percent.hpp"

namespace calibrate::fits {
namespace {

std::string batches_of(const BatchFit& fit) {
  std::string text;
  for (const BatchError& row : fit.rows)
    text += fmt::format("{}{:g}", text.empty() ? "" : " ", row.measured.batch);
  return text;
}

void add_figure(std::string& text, std::string_view quantity, double value) {
  text += fmt::format("{},,,{}\n", quantity, value);
}

void add_curve(std::string& text, std::string_view quantity, const ProgressCurve& curve) {
  for (const ProgressPoint& point : curve)
    text += fmt::format("{},,{},{}\n", quantity, point.progress, point.value);
}

void add_methods(std::string& text, std::string_view quantity, const std::vector<MethodPoint>& points) {
  for (const MethodPoint& point : points) {
    text += fmt::format("{}{},{},{},{}\n", quantity, point.error_feedback ? "" : "_raw", point.method,
                        point.ratio, point.value);
  }
}

std::string print_errors(const measurements::RelativeErrors& errors) {
  return fmt::format("mean {}, worst {}", netmodels::percent(errors.mean, 1),
                     netmodels::percent(errors.worst, 1));
}

std::string describe_noise(const StatisticalFit& fit) {
  if (!fit.progress.mean_noise_scale) return "not measured";
  return fmt::format("{:.4g} samples, mean over the way to the target; B_crit is {:.2g} times that",
                     *fit.progress.mean_noise_scale,
                     fit.batches.law.critical_batch / *fit.progress.mean_noise_scale);
}

}  // namespace

std::string print_law(const StatisticalFit& fit, const LawFacts& facts, std::string_view version) {
  const BatchFit& batches = fit.batches;
  std::string text = fmt::format(
      "# Steps to {:.6g} accuracy over the batch, and what goes with progress, fitted to whole trainings.\n"
      "# model: {}\n# data_set: {}\n# data_set_samples: {}\n# source: {}\n# licence: {}\n",
      fit.target, facts.model, facts.data_set, facts.data_set_samples, facts.source, facts.licence);
  text += fmt::format("# fitted_by: calibrate fit statistical of gradsim {}\n", version);
  text += fmt::format("# batches: {}\n# steps_to: {}\n", batches_of(batches), to_string(fit.steps_to));
  text += fmt::format("# error_of_steps: {}\n", print_errors(batches.in_sample));
  if (batches.held_out) {
    text +=
        fmt::format("# held_out_error_of_steps: {}, one batch at a time\n", print_errors(*batches.held_out));
  }
  text += fmt::format("# error_of_accuracy: mean {:.4f} over all evaluations\n", fit.progress.accuracy_error);
  text += fmt::format("# measured_noise_scale: {}\n", describe_noise(fit));
  text += "quantity,method,at,value\n";
  add_figure(text, "target_accuracy", fit.target);
  add_figure(text, "least_steps", batches.law.least_steps);
  add_figure(text, "critical_batch", batches.law.critical_batch);
  add_figure(text, "smallest_batch", batches.rows.front().measured.batch);
  add_figure(text, "largest_batch", batches.rows.back().measured.batch);
  add_curve(text, "accuracy", fit.progress.accuracy);
  add_curve(text, "loss", fit.progress.loss);
  add_curve(text, "test_loss", fit.progress.test_loss);
  add_curve(text, "noise_scale", fit.progress.noise_scale);
  add_curve(text, "squared_norm", fit.progress.squared_norm);
  add_methods(text, "gain", fit.gains);
  add_methods(text, "slowdown", fit.slowdowns);
  return text;
}

std::string describe_fit(const StatisticalFit& fit) {
  const BatchFit& batches = fit.batches;
  std::string text =
      fmt::format("steps to {:.6g} ({}): S_min {:.4g}, B_crit {:.4g}\n", fit.target, to_string(fit.steps_to),
                  batches.law.least_steps, batches.law.critical_batch);
  text +=
      fmt::format("{:>8} {:>10} {:>10} {:>8} {:>8}\n", "batch", "measured", "fitted", "error", "held out");
  for (const BatchError& row : batches.rows) {
    const double steps = row.measured.steps;
    text += fmt::format("{:>8g} {:>10.0f} {:>10.0f} {:>8} {:>8}\n", row.measured.batch, steps, row.fitted,
                        netmodels::percent(row.fitted / steps - 1, 1),
                        row.held_out ? netmodels::percent(*row.held_out / steps - 1, 1) : "-");
  }
  text += "error of steps: " + print_errors(batches.in_sample);
  if (batches.held_out) text += "; one batch held out: " + print_errors(*batches.held_out);
  text += fmt::format("\nerror of accuracy over progress: mean {:.4f}\n", fit.progress.accuracy_error);
  text += "noise scale: " + describe_noise(fit) + "\n";
  for (const MethodPoint& point : fit.slowdowns) {
    text += fmt::format("slowdown of {} {:g}{}: {:.3g}, {} {}\n", point.method, point.ratio,
                        point.error_feedback ? "" : " without error feedback", point.value, point.trainings,
                        point.trainings == 1 ? "training" : "trainings");
  }
  return text;
}

}  // namespace calibrate::fits
