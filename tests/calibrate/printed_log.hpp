// Prints measurements as nccl-tests and OSU would, so that imports can be tested against that text.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/measurements/measurement.hpp"

namespace calibrate {

/// The ways in which one and the same log can look.
struct LogStyle {
  bool root_column = true;  // since 2.13
  bool names_test = true;   // `# Collective test starting`, since 2.16
  bool blank_out_of_place = false;
  bool nccl_lines = false;  // NCCL INFO between rows, and in the middle of every third
  bool exponents = false;   // 1.2346e+06
  std::string prefix{};     // prefix of every line
  std::string wrong = "0";
};

/// A random measurement whose times have two decimals, as the tool prints them.
inline measurements::Measurements random_measurements(const measurements::Operation& operation, int ranks,
                                                      int nodes, unsigned seed) {
  std::mt19937 generator(seed);
  measurements::Measurements measured;
  measured.operation = &operation;
  measured.ranks = ranks;
  measured.nodes = nodes;
  for (double size = 1024.0 * ranks; size < 1e9; size *= 4) {
    const double noise = static_cast<double>(generator() % 1000) / 1000;
    const double time_us = 20 + noise + size / 1e4;
    measured.points.push_back({{size}, {std::round(time_us * 100) / 100 / 1e6}});
  }
  return measured;
}

inline std::string printed_time(double time_us, const LogStyle& style) {
  return style.exponents ? fmt::format("{:.8e}", time_us) : fmt::format("{:.2f}", time_us);
}

inline std::string printed_half(const measurements::Measurements& measured,
                                const measurements::MeasuredPoint& point, const LogStyle& style) {
  return fmt::format("{:>8} {:>7.2f} {:>7.2f} {:>6}", printed_time(point.time.count * 1e6, style),
                     measurements::algorithm_bandwidth(point).count / 1e9,
                     measurements::bus_bandwidth(measured, point).count / 1e9, style.wrong);
}

inline std::string print_nccl_tests(const measurements::Measurements& measured, const LogStyle& style) {
  const std::string& prefix = style.prefix;
  std::string text = prefix + "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 4(factor)\n";
  if (style.names_test)
    text += fmt::format("{}# Collective test starting: {}_perf\n", prefix, measured.operation->name);
  for (int rank = 0; rank < measured.ranks; ++rank) {
    text += fmt::format("{}#  Rank {:2} Group  0 Pid {:6} on node-{} device {:2} [0x{:02x}] Tesla T4\n",
                        prefix, rank, 100 + rank, rank % *measured.nodes, rank, rank);
  }
  text += prefix +
          "#                                                  out-of-place                       in-place\n";
  text += prefix + "#       size         count      type   redop" + (style.root_column ? "    root" : "") +
          "     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";
  int row = 0;
  for (const measurements::MeasuredPoint& point : measured.points) {
    const double parts = measured.operation->size == measurements::SizeMeaning::total ? measured.ranks : 1;
    std::string head =
        fmt::format("{:>12} {:>13} {:>9} {:>7}", point.size.count, point.size.count / parts / 4, "float",
                    measured.operation->reduces ? "sum" : "none");
    if (style.root_column) head += fmt::format(" {:>7}", measured.operation->rooted ? 0 : -1);
    const std::string half = printed_half(measured, point, style);
    const std::string halves =
        (style.blank_out_of_place ? std::string(half.size(), ' ') : half) + "  " + half;
    const std::string info = "node-0:101:140 [0] NCCL INFO Channel 00/02 : 0 1 2 3 4\n";
    const bool in_the_middle = style.nccl_lines && ++row % 3 == 0;
    if (style.nccl_lines) text += prefix + info;
    text += prefix + head + (in_the_middle ? info + prefix : "") + "  " + halves + "\n";
  }
  return text + prefix + "# Out of bounds values : 0 OK\n" + prefix + "# Avg bus bandwidth    : 1.5\n";
}

inline std::string print_json_half(const measurements::Measurements& measured,
                                   const measurements::MeasuredPoint& point) {
  return fmt::format(R"({{"time": {:.2f}, "alg_bw": {:.2f}, "bus_bw": "{:.2f}", "nwrong": "0"}})",
                     point.time.count * 1e6, measurements::algorithm_bandwidth(point).count / 1e9,
                     measurements::bus_bandwidth(measured, point).count / 1e9);
}

inline std::string print_nccl_tests_json(const measurements::Measurements& measured) {
  std::string devices;
  for (int rank = 0; rank < measured.ranks; ++rank) {
    devices += fmt::format(
        R"({}{{"rank": {}, "group": 0, "pid": 7, "hostname": "node-{}", "device_info": "Tesla T4"}})",
        rank == 0 ? "" : ", ", rank, rank % *measured.nodes);
  }
  std::string results;
  for (const measurements::MeasuredPoint& point : measured.points) {
    const double parts = measured.operation->size == measurements::SizeMeaning::total ? measured.ranks : 1;
    const std::string half = print_json_half(measured, point);
    results += fmt::format(
        "{}{{\"size\": {}, \"count\": {}, \"type\": \"float\", \"redop\": \"{}\", \"root\": {},\n "
        "\"out_of_place\": {}, "
        "\"in_place\": {}}}",
        results.empty() ? "" : ",\n", point.size.count, point.size.count / parts / 4,
        measured.operation->reduces ? "sum" : "none", measured.operation->rooted ? 0 : -1, half, half);
  }
  return fmt::format(
      R"({{"version": 3, "args": ["./build/{}_perf", "-b", "8"], "nccl_version": 22809, "devices": [{}],
"results": [{}], "average_bus_bandwidth": {{"bandwidth": 1.5}}}})",
      measured.operation->name, devices, results);
}

}  // namespace calibrate
