// Counts the packets of a Mahimahi trace by intervals.
#include "calibrate/imports/mahimahi.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Bandwidth;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr double packet_bytes = 1500;
constexpr double ms_per_s = 1000;
constexpr long long longest_ms = 1'000'000'000;  // twelve days
constexpr std::size_t most_steps = 100'000;      // limit of a file that a scenario reads

/// Milliseconds of the packets, none before the one above it.
Result<std::vector<long long>> read_packets(std::string_view text, const std::string& source) {
  std::vector<long long> packets;
  int number = 0;
  for (const std::string_view line : files::lines_of(text)) {
    const auto words = files::words_of(line);
    ++number;
    if (words.empty()) continue;
    const auto at = files::read_integer(words.front().text);
    if (words.size() > 1 || !at || *at < 0 || *at > longest_ms)
      return refuse(files::place(source, number, words.front().column),
                    fmt::format("`{}` is not a millisecond", files::trimmed(line)),
                    fmt::format("accepted: one whole number a line, 0 to {}", longest_ms));
    if (!packets.empty() && *at < packets.back())
      return refuse(files::place(source, number, words.front().column),
                    fmt::format("{} ms comes after {} ms", *at, packets.back()), "use an unmodified trace");
    packets.push_back(*at);
  }
  if (packets.empty()) return refuse(source, "no packets found", "use a trace of Mahimahi");
  if (packets.back() == 0) return refuse(source, "the trace is 0 ms long", "use a trace of Mahimahi");
  return packets;
}

}  // namespace

Result<LinkSteps> import_mahimahi(std::string_view text, const std::string& source, Seconds interval) {
  GRADSIM_TRY(packets, read_packets(text, source));
  LinkSteps link;
  link.period = Seconds{static_cast<double>(packets->back()) / ms_per_s};
  if (interval > link.period)
    return refuse("--interval-ms", fmt::format("it is longer than the trace of {} s", link.period.count),
                  "state a shorter one");
  const auto intervals = static_cast<std::size_t>(std::ceil(link.period.count / interval.count - 1e-9));
  if (intervals > most_steps)
    return refuse("--interval-ms", fmt::format("{} intervals", intervals),
                  fmt::format("accepted: up to {}", most_steps));
  std::vector<double> bytes(intervals);
  for (const long long at : *packets) {
    const double passed = static_cast<double>(at) / ms_per_s / interval.count;
    bytes[std::min(static_cast<std::size_t>(passed), intervals - 1)] += packet_bytes;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    if (bytes[i] == 0) {
      ++link.joined;
      continue;
    }
    const Seconds from = interval * static_cast<double>(begin);
    const Seconds to = std::min(interval * static_cast<double>(i + 1), link.period);
    link.steps.push_back({from, Bandwidth{bytes[i] / (to - from).count}});
    begin = i + 1;
  }
  return link;
}

std::string print_link_steps(const LinkSteps& link, const std::string& source) {
  constexpr double bits_per_byte = 8;
  std::string text = fmt::format("# Bandwidth of {}, a trace of Mahimahi.\n", files::file_name(source));
  text += fmt::format("# Use it as `cluster.traces: [{{file: THIS_FILE, period: {:g} s}}]`.\n",
                      link.period.count);
  if (link.joined > 0)
    text += fmt::format("# {} intervals without a packet are one step with the next.\n", link.joined);
  text += "time_s,bandwidth_bit_per_s\n";
  for (const LinkStep& step : link.steps)
    text += fmt::format("{:.10g},{:.10g}\n", step.at.count, step.bandwidth.count * bits_per_byte);
  return text;
}

}  // namespace calibrate::imports
