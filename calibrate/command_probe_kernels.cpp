// `calibrate probe kernels`: cases from the command line, times into a file.
#include "calibrate/command_probe_kernels.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "calibrate/exit_code.hpp"
#include "calibrate/files/output_file.hpp"
#include "calibrate/probes/host_facts.hpp"
#include "calibrate/probes/kernel_times.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::int64_t most_elements = 1'000'000'000;

Result<std::vector<const kernels::Entry*>> read_compressors(const ProbeKernelsOptions& options) {
  std::vector<const kernels::Entry*> found;
  std::vector<std::string_view> known;
  for (const kernels::Entry& row : kernels::catalogue()) {
    known.push_back(row.name);
    if (options.compressors.empty()) found.push_back(&row);
  }
  for (const std::string& name : options.compressors) {
    const kernels::Entry* row = kernels::find(name);
    if (row == nullptr) {
      return refuse("--compressors", "there is no compressor `" + name + "`",
                    netmodels::accepted_names(name, known));
    }
    found.push_back(row);
  }
  return found;
}

Result<std::vector<probes::KernelCase>> read_cases(const ProbeKernelsOptions& options) {
  const auto compressors = read_compressors(options);
  if (!compressors) return tl::unexpected(compressors.error());
  for (const std::int64_t elements : options.elements) {
    if (elements >= 1 && elements <= most_elements) continue;
    return refuse("--elements", fmt::format("a gradient of {} values", elements),
                  fmt::format("accepted: 1 to {}", most_elements));
  }
  for (const double ratio : options.ratios) {
    if (ratio > 0 && ratio <= 1) continue;
    return refuse("--ratios", fmt::format("the ratio {}", ratio), "accepted: above 0, at most 1");
  }
  return probes::kernel_cases(*compressors, options.elements, options.ratios);
}

measurements::KernelTimes measure(const std::vector<probes::KernelCase>& cases,
                                  const ProbeKernelsOptions& options, std::ostream& log) {
  const probes::HostFacts host = probes::host_facts();
  probes::KernelEffort effort{.time = {options.seconds}};
  if (options.heavy_tailed) effort.values = probes::GradientValues::heavy_tailed;
  measurements::KernelTimes measured;
  measured.device = host.processor + ", one thread";
  measured.notes = {
      fmt::format("{} processors of this kind, {}, measured {:%Y-%m-%d}", host.cores, host.kernel,
                  fmt::gmtime(std::time(nullptr))),
      fmt::format("gradsim calibrate {} probe kernels, compiled by {}", options.version, __VERSION__),
      fmt::format(
          "values {}; a step is compression, with error feedback where it is meant to be, and adding the "
          "message to a sum",
          probes::to_string(effort.values)),
      "licence: facts, measured figures, free to use"};
  std::size_t count = 0;
  measured.times = probes::measure_kernels(cases, effort, [&](const probes::KernelCase& next) {
    ++count;
    if (options.quiet) return;
    log << fmt::format("{} of {}: {} of {} values, ratio {:g}\n", count, cases.size(), next.compressor->name,
                       next.elements, next.ratio);
  });
  return measured;
}

}  // namespace

int run_probe_kernels(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log) {
  const auto cases = read_cases(options);
  const auto written =
      cases ? files::write_output(options.output, print_kernel_times(measure(*cases, options, log)), out)
            : Result<void>(tl::unexpected(cases.error()));
  if (written) return exit_done;
  log << written.error().text() << "\n";
  return exit_refused;
}

}  // namespace calibrate
