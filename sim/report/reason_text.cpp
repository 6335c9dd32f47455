// Sentences with places for figures, and how a figure is printed.
#include "sim/report/reason_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/scenario/fabric.hpp"

namespace sim::report {
namespace {

using engine::ReasonKind;

/// A sentence in which `{NAME}` is the figure of that name, and `{NAME:FORM}` the figure in a form: digits of
/// a time, a format of a number.
struct Sentence {
  ReasonKind kind;
  std::string_view text;
};

/// Rows in the order of the kinds.
constexpr std::array<Sentence, engine::reason_kinds> sentences{{
    {ReasonKind::slowest_worker, "the slowest worker decides: the others wait {share} of the step for it"},
    {ReasonKind::exchange_through,
     "the exchange decides: {share} of the step is communication through the {through}"},
    {ReasonKind::exchange_latency,
     "the exchange decides: {share} of the step is exposed communication, and {part} of the exchange is "
     "latency"},
    {ReasonKind::exchange_bandwidth,
     "the exchange decides: {share} of the step is exposed communication, and {part} of the exchange is "
     "bandwidth"},
    {ReasonKind::compressing, "compression decides: it takes {share} of the step"},
    {ReasonKind::computing, "computing decides: it takes {share} of the step"},
    {ReasonKind::computing_hides_exchange,
     "computing decides: it takes {share} of the step; {hidden} of the exchange is hidden behind it"},
    {ReasonKind::failure_stops, "{part} failed: training stops"},
    {ReasonKind::failure_survived, "{part} failed: {left} workers continue"},
    {ReasonKind::failure_recovered, "{part} failed: {left} workers continue at {resumed:6}"},
    {ReasonKind::none_left, "no workers left: training stops"},
    {ReasonKind::left, "{members} left: {present} continue"},
    {ReasonKind::returned, "{members} returned: {present} continue"},
    {ReasonKind::diverged, "the loss became NaN in step {step}: training stops"},
    {ReasonKind::batches, "batches: {batches}"},
    {ReasonKind::batch_range, "batches: {least} to {most}"},
    {ReasonKind::goodput, "{low} to {high}"},
    {ReasonKind::inner_goodput, "{low} to {high}"},
    {ReasonKind::compressing_time, "{least:3} to {most:3} of `{method}`"},
    {ReasonKind::compressing_time_at_ratio, "{least:3} to {most:3} of `{method}` at {ratio:.3g}"},
    {ReasonKind::collective_times, "up to {error:.2g} off in nine of ten sizes"},
    {ReasonKind::overlap_slowdown, "0 % to {most:.3g}"},
    {ReasonKind::utilisation, "{fastest:.0f} to {slowest} of the predicted time of the passes"},
    {ReasonKind::layer_times, "times of the layers of `{workload}` ({origin})"},
    {ReasonKind::compressing_without_end, "time of compressing by `{method}` (no upper end is known)"},
    {ReasonKind::nccl_times, "times that NCCL's model predicts"},
    {ReasonKind::replica_exchanges, "times of the exchanges inside a replica"},
    {ReasonKind::collectives_without_error, "times of the collectives in {file} (no error is stated)"},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < sentences.size(); ++i)
    if (static_cast<std::size_t>(sentences[i].kind) != i || sentences[i].text.empty()) return false;
  return true;
}
static_assert(is_in_order(), "each kind of reason has a sentence, at its own index");

/// Name of an input as a sentence with places for figures, and a command that measures it.
struct InputRow {
  ReasonKind kind;
  std::string_view name;
  std::string_view measure;
};

constexpr std::string_view fits_kernels = "`calibrate probe kernels`, then `calibrate fit kernels`";

constexpr std::array input_rows{
    InputRow{ReasonKind::goodput, "goodput of {of}",
             "`calibrate probe nccl` or `calibrate probe mpi` between two nodes, then `calibrate fit link`"},
    InputRow{ReasonKind::inner_goodput, "goodput inside a node of {of}",
             "`calibrate probe nccl` inside a node, then `calibrate fit link`"},
    InputRow{ReasonKind::compressing_time, "time of compressing ({source})", fits_kernels},
    InputRow{ReasonKind::compressing_time_at_ratio, "time of compressing ({source})", fits_kernels},
    InputRow{ReasonKind::collective_times, "times of the collectives ({file})",
             "`calibrate probe nccl` on as many ranks"},
    InputRow{ReasonKind::overlap_slowdown, "slowdown of computing by overlap on {device}",
             "`sim fit step` on a few measured steps"},
    InputRow{ReasonKind::utilisation, "utilisation of the peak ({of})", "`workload.mfu` of a measured run"},
};

/// @param form   of a number; empty: the usual one
std::string number_text(double value, std::string_view form, std::string_view usual) {
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", form.empty() ? usual : form)), value);
}

std::string time_text(double seconds, std::string_view form) {
  int digits = 0;
  std::from_chars(form.data(), form.data() + form.size(), digits);
  return netmodels::print(netmodels::Seconds{seconds}, digits);
}

/// @param form  digits of a time, format of a number; empty: the usual one
std::string printed(const engine::Figure& figure, std::string_view form) {
  using enum engine::FigureUnit;
  switch (figure.unit) {
    case number: return number_text(figure.value, form, "g");
    case count: return number_text(figure.value, form, ".0f");
    case seconds: return time_text(figure.value, form);
    case share: return number_text(100 * figure.value, form, ".0f") + " %";
    case fabric_rate: return scenario::rate_text(figure.fabric, netmodels::Bandwidth{figure.value});
    case name: break;
    case members:
      return fmt::format("{}{} {}", figure.text, figure.numbers.size() > 1 ? "s" : "",
                         fmt::join(figure.numbers, ", "));
    case list: return fmt::format("{}", fmt::join(figure.numbers, ", "));
  }
  return figure.text;
}

/// @param place  "NAME" or "NAME:FORM"
std::string figure_text(const engine::Reason& reason, std::string_view place) {
  const std::size_t colon = std::min(place.find(':'), place.size());
  const auto figure = std::ranges::find(reason.figures, place.substr(0, colon), &engine::Figure::name);
  assert(figure != reason.figures.end());
  const std::string_view form = place.substr(std::min(colon + 1, place.size()));
  return printed(*figure, form);
}

std::string with_figures(std::string_view text, const engine::Reason& reason) {
  std::string filled;
  while (true) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const std::size_t close = text.find('}', open);
    filled += figure_text(reason, text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string reason_text(const engine::Reason& reason) {
  return with_figures(sentences[static_cast<std::size_t>(reason.kind)].text, reason);
}

InputText input_text(const engine::Reason& range) {
  const auto* row = std::ranges::find(input_rows, range.kind, &InputRow::kind);
  assert(row != input_rows.end());
  return {with_figures(row->name, range), row->measure};
}

}  // namespace sim::report
