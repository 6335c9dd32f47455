// steps.csv: the columns, and how a line is written.
#include "sim/report/steps_csv.hpp"

#include <cmath>
#include <iterator>
#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "command_line/csv.hpp"

namespace sim::report {
namespace {

constexpr std::string_view step_columns =
    "arm,step,epoch,phase,start_s,step_time_s,compute_time_s,wait_time_s,compress_time_s,exposed_time_s,"
    "exchange_time_s,sent_bytes,workers,collective,method,ratio,traffic,staleness,loss,squared_norm,"
    "mean_squared_norm,gain,noise_scale_samples,test_loss,test_accuracy,samples,"
    "stream_wait_time_s,buffer_samples,buffer_bytes,bandwidth_bytes_per_s,latency_s\n";
constexpr std::size_t flush_csv_at = 1 << 16;

/// Never a null pointer: the formatting library copies from it, even nothing.
std::string_view cell_text(std::string_view text) { return text.empty() ? std::string_view("") : text; }

}  // namespace

std::string_view StepLines::header() { return step_columns; }

void StepLines::begin_arm(const std::string& name) { arm_ = command_line::csv_field(name); }

void StepLines::add(const engine::StepRecord& step) {
  const std::string sent = step.sent ? fmt::format(FMT_COMPILE("{}"), step.sent->count) : "";
  fmt::format_to(std::back_inserter(lines_),
                 FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}"), arm_, step.step,
                 step.epoch, step.phase, step.start.count, step.duration.count, step.parts.compute.count,
                 step.parts.wait.count, step.parts.compress.count, step.parts.exchange.count,
                 step.exchange_busy.count, sent, step.workers, cell_text(step.collective),
                 cell_text(step.method), step.ratio, to_string(step.traffic), step.staleness);
  add(step.learning);
  add_samples(step);
  add(step.network);
}

void StepLines::add(const std::optional<engine::LearningStep>& learning) {
  if (!learning) {
    lines_ += ",,,,,,,";
    return;
  }
  const auto cell = [this](std::optional<double> figure) {
    lines_ += ',';
    if (figure && std::isfinite(*figure))
      fmt::format_to(std::back_inserter(lines_), FMT_COMPILE("{}"), *figure);
  };
  cell(learning->loss);
  cell(learning->squared_norm);
  cell(learning->mean_squared_norm);
  cell(learning->gain);
  cell(learning->noise_scale);
  const auto& test = learning->evaluated;
  cell(test ? test->loss : std::nullopt);
  cell(test ? std::optional(test->accuracy) : std::nullopt);
}

void StepLines::add_samples(const engine::StepRecord& step) {
  fmt::format_to(std::back_inserter(lines_), FMT_COMPILE(",{},{},"), step.samples,
                 step.parts.stream_wait.count);
  if (step.buffer)
    fmt::format_to(std::back_inserter(lines_), FMT_COMPILE("{},{},"), step.buffer->samples,
                   step.buffer->bytes.count);
  else
    lines_ += ",,";
}

void StepLines::add(const std::optional<netmodels::LinkState>& network) {
  if (network)
    fmt::format_to(std::back_inserter(lines_), FMT_COMPILE("{},{}\n"), network->bandwidth.count,
                   network->latency.count);
  else
    lines_ += ",\n";
}

StepsCsv::StepsCsv(const std::filesystem::path& target) : sink_(target) {
  sink_.write(std::string(StepLines::header()));
}

void StepsCsv::add(const engine::StepRecord& step) {
  lines_.add(step);
  if (lines_.text().size() >= flush_csv_at) flush();
}

void StepsCsv::flush() {
  sink_.write(lines_.text());
  lines_.clear();
}

void StepsCsv::finish() {
  flush();
  sink_.finish();
}

}  // namespace sim::report
