// Compares measured times of collectives with line rates and with the description's prediction.
#include "sim/fit/nccl_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "netmodels/nccl/rates.hpp"

namespace sim::fit {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::Bandwidth;
using netmodels::Bytes;
using netmodels::print;
using netmodels::Seconds;

constexpr double far_off = 8;
constexpr int warning_digits = 3;

/// What enters, or leaves, each of several equal parts of the group at least, relative to the size.
double least_share(nccl::Operation operation, double parts, double ranks_of_part) {
  const double others = (parts - 1) / parts;
  switch (operation) {
    case nccl::Operation::all_gather:
    case nccl::Operation::reduce_scatter: return others;
    case nccl::Operation::alltoall: return others * ranks_of_part;
    case nccl::Operation::all_reduce:
    case nccl::Operation::broadcast:
    case nccl::Operation::reduce:
    case nccl::Operation::send_recv: break;
  }
  return 1;
}

/// A part of the hardware that every byte must pass.
struct Line {
  std::string name;
  Bandwidth rate;
  double share = 1;  ///< of the size that passes at least

  [[nodiscard]] Seconds least_time(Bytes size) const { return size * share / rate; }
};

std::vector<Line> lines_of(const nccl::Hardware& hardware, const nccl::Measured& measured) {
  const double ranks = *measured.ranks, nodes = *measured.nodes;
  std::vector<Line> lines;
  if (nodes > 1) {
    const nccl::Network& network = *hardware.network;
    lines.push_back(
        {fmt::format("the interfaces of a node ({} x {})", network.nics_per_node, print(network.rate)),
         network.rate * network.nics_per_node, least_share(measured.operation, nodes, ranks / nodes)});
  }
  if (hardware.gpu.ranks_per_gpu == 1) {
    const Bandwidth rate = nccl::line_rate_of_gpu(hardware);
    lines.push_back({fmt::format("the links of a GPU ({})", print(rate)), rate,
                     least_share(measured.operation, ranks, 1)});
  }
  return lines;
}

std::string more_sizes(std::size_t count) {
  return count == 1   ? ""
         : count == 2 ? " (and one other size)"
                      : fmt::format(" (and {} other sizes)", count - 1);
}

/// The point with the largest factor above the limit, and how many lie above it.
template <class Factor>
std::optional<std::string> worst(const NcclFit& fit, double limit, Factor factor, auto sentence) {
  const NcclFitPoint* farthest = nullptr;
  std::size_t count = 0;
  for (const NcclFitPoint& point : fit.points) {
    if (factor(point) <= limit) continue;
    ++count;
    if (!farthest || factor(point) > factor(*farthest)) farthest = &point;
  }
  if (!farthest) return std::nullopt;
  return sentence(*farthest) + more_sizes(count) + "; check the unit, the ranks and the cluster";
}

std::string measured_text(const NcclFitPoint& point) {
  return fmt::format("{} in {}", print(point.measured.size), print(point.measured.time, warning_digits));
}

std::optional<std::string> beyond_lines(const nccl::Hardware& hardware, const NcclFit& fit) {
  const std::vector<Line> lines = lines_of(hardware, fit.measured);
  const auto slowest = [&](const NcclFitPoint& point) -> const Line& {
    return *std::ranges::max_element(
        lines, {}, [&](const Line& line) { return line.least_time(point.measured.size).count; });
  };
  if (lines.empty()) return std::nullopt;
  return worst(
      fit, 1,
      [&](const NcclFitPoint& point) {
        return slowest(point).least_time(point.measured.size) / point.measured.time;
      },
      [&](const NcclFitPoint& point) {
        const Line& line = slowest(point);
        return fmt::format("{} is faster than {} allow: {} at least", measured_text(point), line.name,
                           print(line.least_time(point.measured.size), warning_digits));
      });
}

std::string predicted_text(const NcclFitPoint& point, double factor, std::string_view comparative) {
  return fmt::format("{} is {:.3g} times {} than the description predicts, {}", measured_text(point), factor,
                     comparative, print(point.model, warning_digits));
}

}  // namespace

std::vector<std::string> nccl_warnings(const nccl::Hardware& hardware, const NcclFit& fit) {
  const auto faster = [](const NcclFitPoint& point) { return point.model / point.measured.time; };
  const auto slower = [](const NcclFitPoint& point) { return point.measured.time / point.model; };
  std::vector<std::string> warnings;
  const auto add = [&](std::optional<std::string> warning) {
    if (warning) warnings.push_back(std::move(*warning));
  };
  add(beyond_lines(hardware, fit));
  if (warnings.empty())
    add(worst(fit, far_off, faster,
              [&](const NcclFitPoint& point) { return predicted_text(point, faster(point), "faster"); }));
  add(worst(fit, far_off, slower,
            [&](const NcclFitPoint& point) { return predicted_text(point, slower(point), "slower"); }));
  return warnings;
}

}  // namespace sim::fit
