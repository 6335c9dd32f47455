// What a cluster's links yield, in sentences.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nccl/time.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bandwidth;
using netmodels::LinkState;
using netmodels::print;

constexpr int goodput_digits = 4;

std::string sentence_of(const FabricRange& range) {
  const auto text = [&](const LinkState& link) { return rate_text(range.kind, link.bandwidth); };
  std::string sentence =
      fmt::format("{} usually yields {} ({} to {}; {}), latency {}", range.name, text(range.mid),
                  text(range.low), text(range.high), range.source, print(range.mid.latency, goodput_digits));
  if (range.high.latency == range.low.latency) return sentence;
  return sentence + fmt::format(" ({} to {})", print(range.high.latency, goodput_digits),
                                print(range.low.latency, goodput_digits));
}

/// How collectives get their time, and how far such times are usually off.
std::string nccl_sentence(const Cluster& cluster) {
  const netmodels::nccl::Hardware& hardware = *cluster.nccl;
  const auto nodes = static_cast<std::uint32_t>(cluster.workers / cluster.workers_per_node);
  const netmodels::nccl::Group group{.ranks = static_cast<std::uint32_t>(cluster.workers), .nodes = nodes};
  const auto& known = netmodels::nccl::error_class(hardware, group);
  const bool all_sizes = hardware.measured && hardware.measured->points.size() > 1;
  const auto& spread = all_sizes ? known.measured : known.alone;
  constexpr double percent = 100;
  std::string corrected;
  if (hardware.measured) {
    const std::size_t points = hardware.measured->points.size();
    corrected = fmt::format(", corrected by {} measured time{} of {}", points, points == 1 ? "" : "s",
                            to_string(hardware.measured->operation));
  }
  return fmt::format(
      "{}collectives whose schedules NCCL has take what NCCL {} would choose and need on the described "
      "hardware{}; on other machines of "
      "the kind ({}) half of such times were within {:.0f} %, nine of ten within {:.0f} %{}",
      cluster.collective_times.empty() ? "" : "without a measured time, ", hardware.version, corrected,
      known.name, percent * spread.median, percent * spread.p90,
      all_sizes
          ? ""
          : fmt::format(" (sizes from 1 MiB on; of smaller ones half within {:.0f} %, nine of ten within "
                        "{:.0f} %); for less: {}",
                        percent * known.small.median, percent * known.small.p90, known.advice));
}

}  // namespace

std::string rate_text(inputs::FabricKind kind, Bandwidth rate) {
  constexpr double giga = 1e9;
  return inputs::joins_workers(kind) ? fmt::format("{:.{}g} GB/s", rate.count / giga, goodput_digits)
                                     : print(rate, goodput_digits);
}

namespace {

/// The file of a trace, how long it is, and what follows.
std::string describe_trace(const LinkTrace& trace) {
  const std::string name = files::file_name(trace.file);
  if (trace.points.empty()) return fmt::format("links follow {}, which has no points", name);
  const std::string after = trace.period
                                ? fmt::format("it starts over every {}", print(*trace.period, goodput_digits))
                                : "its last values hold from there on (`period` repeats it)";
  return fmt::format("links follow {}, {} points up to {}; {}", name, trace.points.size(),
                     print(trace.points.back().at, goodput_digits), after);
}

std::vector<std::string> notes_on_rates(const Cluster& cluster, bool by_nccl) {
  if (by_nccl && cluster.collective_times.empty()) return {nccl_sentence(cluster)};
  std::vector<std::string> lines;
  if (const auto& tcp = cluster.tcp_at_line_rate) {
    const auto text = [](Bandwidth rate) { return print(rate, goodput_digits); };
    lines.push_back(fmt::format(
        "the link's {} are taken as goodput; TCP by NCCL usually reaches {} on {} Ethernet ({} to {})",
        text(cluster.link.bandwidth), text(tcp->mid.bandwidth), text(cluster.link.bandwidth),
        text(tcp->low.bandwidth), text(tcp->high.bandwidth)));
  }
  for (const auto* range : {&cluster.link_range, &cluster.inner_link_range}) {
    if (*range) lines.push_back(sentence_of(**range));
  }
  return lines;
}

std::vector<std::string> with_traces(std::vector<std::string> lines, const Cluster& cluster) {
  for (const LinkTrace& trace : cluster.traces) {
    std::string line = describe_trace(trace);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::vector<std::string> goodput_notes(const Cluster& cluster, bool by_nccl) {
  return with_traces(notes_on_rates(cluster, by_nccl), cluster);
}

std::vector<std::string> goodput_lines(const Cluster& cluster, bool by_nccl) {
  std::vector<std::string> lines = notes_on_rates(cluster, by_nccl);
  if (by_nccl) return with_traces(lines.empty() ? std::vector{nccl_sentence(cluster)} : lines, cluster);
  if (!cluster.link_range && !cluster.tcp_at_line_rate && platform_file(cluster.topology) == nullptr)
    lines.insert(lines.begin(),
                 fmt::format("the link's {} are taken as goodput, which is what training traffic reaches",
                             print(cluster.link.bandwidth, goodput_digits)));
  return with_traces(std::move(lines), cluster);
}

}  // namespace sim::scenario
