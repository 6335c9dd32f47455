// Checks of what is to be measured over NCCL, and the way through it.
#include "calibrate/probes/nccl_plan.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"
#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::probes {
namespace {

constexpr std::array<std::string_view, 12> names{
    "all_reduce",       "all_gather",     "reduce_scatter",  "broadcast", "topk_all_gather_messages",
    "ar_topk_messages", "point_to_point", "topk_all_gather", "ar_topk",   "topk_all_gather_local",
    "ar_topk_select",   "ar_topk_apply"};
constexpr std::size_t first_compressed = 7;

/// Threshold: where ranks that share a device take longer for their smallest message, it serves them by
/// turns: small messages over loopback take tens of microseconds.
constexpr netmodels::Seconds served_by_turns{1e-3};

using Exchange = NcclMeasured::Exchange;

std::string warning_of_turns(const Exchange& exchange) {
  const NcclSample& smallest = exchange.samples.front();
  return fmt::format(
      "{} of {} takes {}: the device seems to time-slice the ranks, so latencies are of time slices and "
      "not of NCCL",
      exchange.operation->name, print(smallest.size), print(smallest.median()));
}

}  // namespace

using netmodels::Bytes;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

Seconds NcclSample::median() const {
  std::vector<double> seconds;
  for (const Seconds time : times) seconds.push_back(time.count);
  return Seconds{measurements::median(std::move(seconds))};
}

std::string_view to_string(NcclWay way) {
  switch (way) {
    case NcclWay::devices: return "one device per rank";
    case NcclWay::private_copies: return "a private copy of the library per rank";
    case NcclWay::processes: return "one process per rank";
  }
  return "";
}

std::string print_sample(const NcclSample& sample) {
  std::string text = fmt::format("{}", sample.size.count);
  for (const Seconds time : sample.times) text += fmt::format(" {}", time.count);
  return text;
}

std::optional<NcclSample> parse_sample(std::string_view text) {
  NcclSample sample;
  const std::vector<files::Word> words = files::words_of(text);
  for (const files::Word& word : words) {
    const auto number = files::read_number(word.text);
    if (!number) return std::nullopt;
    if (&word == &words.front())
      sample.size = Bytes{*number};
    else
      sample.times.push_back(Seconds{*number});
  }
  if (sample.times.empty()) return std::nullopt;
  return sample;
}

std::span<const std::string_view> nccl_operations() { return names; }

bool compresses_on_device(std::string_view operation) {
  return std::find(names.begin() + first_compressed, names.end(), operation) != names.end();
}

namespace {

Result<void> check_namespaces(const NcclPlan& plan) {
  const std::vector<std::string>& given = plan.namespaces;
  if (given.empty()) return {};
  if (given.size() != static_cast<std::size_t>(plan.ranks))
    return refuse("--namespaces", fmt::format("{} namespaces for {} ranks", given.size(), plan.ranks),
                  "name one for each rank, or leave out --ranks");
  for (auto name = given.begin(); name != given.end(); ++name)
    if (std::find(given.begin(), name, *name) != name)
      return refuse("--namespaces", fmt::format("duplicate name `{}`", *name), "name another for each rank");
  return {};
}

Result<void> check_ranks(const NcclPlan& plan) {
  constexpr int most_ranks = 64;
  if (plan.ranks < 2 || plan.ranks > most_ranks)
    return refuse("--ranks", fmt::format("{} ranks", plan.ranks),
                  fmt::format("accepted: 2 to {}", most_ranks));
  if (plan.job && plan.job->ranks != plan.ranks)
    return refuse(
        "--ranks",
        fmt::format("{} ranks, and {} has started {}", plan.ranks, plan.job->launcher, plan.job->ranks),
        "leave out --ranks");
  return check_namespaces(plan);
}

Result<void> check_operations(const NcclPlan& plan) {
  if (plan.operations.empty() || plan.sizes.empty())
    return refuse("--operations", "nothing to measure", "name operations and sizes");
  for (const std::string& name : plan.operations) {
    if (std::ranges::find(names, name) == names.end())
      return refuse("--operations", "unknown operation `" + name + "`",
                    netmodels::accepted_names(name, names));
  }
  if (plan.ranks != 2 && std::ranges::find(plan.operations, "point_to_point") != plan.operations.end())
    return refuse("--ranks", fmt::format("`point_to_point` among {} ranks", plan.ranks),
                  "use --ranks 2, or leave `point_to_point` out of --operations");
  return {};
}

}  // namespace

Result<void> check(const NcclPlan& plan) {
  if (auto checked = check_ranks(plan); !checked) return checked;
  if (!(plan.ratio > 0 && plan.ratio <= 1))
    return refuse("--ratio", fmt::format("the ratio {}", plan.ratio), "accepted: above 0, at most 1");
  if (auto checked = check_operations(plan); !checked) return checked;
  const bool rises = std::ranges::adjacent_find(plan.sizes, std::greater_equal<>()) == plan.sizes.end();
  if (!rises || plan.sizes.front() <= netmodels::Bytes{})
    return refuse("--sizes", "sizes do not increase from above 0", "write for example 4KiB..64MiB");
  return {};
}

namespace {

using Measure = std::function<NcclSample(const std::string& operation, Bytes size)>;

/// One case, into the last exchange. A size that does not rise above the one before is left out.
/// @returns false where it failed
bool measure_case(const std::string& name, Bytes size, const Measure& measure, NcclMeasured& measured) {
  try {
    NcclSample sample = measure(name, size);
    std::vector<NcclSample>& samples = measured.exchanges.back().samples;
    if (samples.empty() || samples.back().size < sample.size) samples.push_back(std::move(sample));
    return true;
  } catch (const std::exception& failure) {
    measured.failures.push_back(fmt::format("{} of {}: {}", name, print(size), failure.what()));
    return false;
  }
}

/// After this number of failures in a row, the further sizes of an operation are not tried: each could take
/// its limit.
constexpr int most_failures = 2;

/// Measures the sizes of one operation into an exchange of its own.
/// @returns how many were tried or left out after failures; fewer than there are where the plan was stopped
std::size_t measure_operation(const NcclPlan& plan, const std::string& name, const Measure& measure,
                              const NcclProgress& progress, NcclMeasured& measured) {
  measured.exchanges.push_back({*measurements::find_operation(name), {}});
  int failures = 0;
  for (std::size_t done = 0; done < plan.sizes.size(); ++done) {
    if (plan.stop != nullptr && *plan.stop) return done;
    if (failures == most_failures &&
        !plan.job) {  // ranks of a job may fail apart, and would no longer synchronise
      measured.failures.push_back(fmt::format("{} from {}: left out after {} failures in a row", name,
                                              print(plan.sizes[done]), failures));
      break;
    }
    if (progress.said) progress.said(name + " of " + print(plan.sizes[done]));
    failures = measure_case(name, plan.sizes[done], measure, measured) ? 0 : failures + 1;
    if (progress.measured && !measured.exchanges.back().samples.empty()) progress.measured(measured);
  }
  return plan.sizes.size();
}

}  // namespace

void measure_planned(const NcclPlan& plan, const Measure& measure, const NcclProgress& progress,
                     NcclMeasured& measured) {
  const auto stopped = [&] { return plan.stop != nullptr && *plan.stop; };
  std::size_t done = 0;
  for (const std::string& name : plan.operations) {
    if (stopped()) break;
    done += measure_operation(plan, name, measure, progress, measured);
    const Exchange& exchange = measured.exchanges.back();
    const bool shared = measured.way == NcclWay::private_copies && plan.namespaces.empty();
    if (exchange.samples.empty())
      measured.exchanges.pop_back();
    else if (shared && exchange.samples.front().median() > served_by_turns)
      measured.warnings.push_back(warning_of_turns(exchange));
  }
  const std::size_t planned = plan.operations.size() * plan.sizes.size();
  if (done < planned) measured.warnings.push_back(fmt::format("stopped after {} of {} sizes", done, planned));
}

}  // namespace calibrate::probes
