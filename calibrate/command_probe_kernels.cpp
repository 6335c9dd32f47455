// `calibrate probe kernels`: cases from the command line, times into a file.
#include <algorithm>
#include <ctime>
#include <sstream>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/device_kernel_times.hpp"
#include "calibrate/probes/host_facts.hpp"
#include "calibrate/probes/kernel_times.hpp"
#include "files/output_file.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::int64_t most_elements = 1'000'000'000;

/// Device on which the compressors run.
struct Place {
  std::string name;                ///< as the file's first line says it
  std::vector<std::string> notes;  ///< more of its provenance
  bool (*has)(const kernels::Entry& compressor);
  decltype(&probes::measure_kernels) measure;
};

Place processor() {
  return {probes::host_facts().processor + ", one thread",
          {},
          [](const kernels::Entry&) { return true; },
          probes::measure_kernels};
}

// An error without a place is of the machine, not of the input.
#if GRADSIM_HAS_CUDA
Result<Place> cuda_device() {
  if (kernels::device_count() == 0) {
    return refuse("", "--device cuda: no usable CUDA device found",
                  "run it on a node with a GPU and its driver, or leave --device out");
  }
  const kernels::DeviceFacts facts = kernels::device_facts();
  return Place{facts.name,
               {probes::describe(facts), "times of the device, its L2 cache cold"},
               [](const kernels::Entry& row) { return row.make_on_device != nullptr; },
               probes::measure_device_kernels};
}
#else
Result<Place> cuda_device() {
  return refuse("", "--device cuda: this program was built without CUDA",
                "build it where nvcc 12 or newer is installed, or leave --device out");
}
#endif

Result<std::vector<const kernels::Entry*>> read_compressors(const ProbeKernelsOptions& options,
                                                            const Place& place) {
  std::vector<const kernels::Entry*> found;
  std::vector<std::string_view> known;
  for (const kernels::Entry& row : kernels::catalogue()) {
    if (!place.has(row)) continue;
    known.push_back(row.name);
    if (options.compressors.empty()) found.push_back(&row);
  }
  for (const std::string& name : options.compressors) {
    const kernels::Entry* row = kernels::find(name);
    if (row == nullptr || !place.has(*row)) {
      const std::string what = row == nullptr ? "unknown compressor `{}`" : "`{}` has no CUDA implementation";
      return refuse("--compressors", fmt::format(fmt::runtime(what), name),
                    netmodels::accepted_names(name, known));
    }
    if (std::ranges::find(found, row) == found.end()) found.push_back(row);  // named twice is measured once
  }
  return found;
}

/// Rising, each once.
template <class T>
std::vector<T> once_each(std::vector<T> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Result<std::vector<probes::KernelCase>> read_cases(const ProbeKernelsOptions& options, const Place& place) {
  GRADSIM_TRY(compressors, read_compressors(options, place));
  for (const std::int64_t elements : options.elements) {
    if (elements >= 1 && elements <= most_elements) continue;
    return refuse("--elements", fmt::format("a gradient of {} values", elements),
                  fmt::format("accepted: 1 to {}", most_elements));
  }
  for (const double ratio : options.ratios) {
    if (ratio > 0 && ratio <= 1) continue;
    return refuse("--ratios", fmt::format("the ratio {}", ratio), "accepted: above 0, at most 1");
  }
  return probes::kernel_cases(*compressors, once_each(options.elements), once_each(options.ratios));
}

std::vector<std::string> provenance(const Place& place, const ProbeKernelsOptions& options,
                                    probes::GradientValues values) {
  const probes::HostFacts host = probes::host_facts();
  std::vector<std::string> notes = place.notes;
  const std::string processors = options.device == "cuda"
                                     ? fmt::format("host: {} processors, {}", host.cores, host.processor)
                                     : fmt::format("{} processors of this kind", host.cores);
  notes.insert(
      notes.end(),
      {fmt::format("{}, {}, measured {:%Y-%m-%d}", processors, host.kernel, fmt::gmtime(std::time(nullptr))),
       fmt::format("gradsim calibrate {} probe kernels, compiled by {}", options.version, __VERSION__),
       fmt::format(
           "values {}; a step is compression, with error feedback where it is meant to be, and adding the "
           "message to a sum, which restore_us states separately; lwtopk has 48 layers whose sizes rise as "
           "1, 3, 5, ...",
           to_string(values)),
       "licence: facts, measured figures, free to use"});
  return notes;
}

/// The times, and every repetition as text.
struct Measured {
  measurements::KernelTimes times;
  std::size_t failed = 0;  ///< cases
  std::string samples = "compressor,elements,ratio,repetition,time_us,copy_us,restore_us\n";
};

void add_samples(const probes::KernelCase& of, const probes::KernelSamples& samples, std::string& text) {
  using measurements::us_per_second;
  for (std::size_t i = 0; i < samples.steps.size(); ++i)
    text += fmt::format("{},{},{:g},{},{:.4f},{:.4f},{:.4f}\n", of.compressor->name, of.elements, of.ratio, i,
                        us_per_second * samples.steps[i], us_per_second * samples.copies[i],
                        us_per_second * samples.restores[i]);
}

/// The times' provenance and all repetitions.
Result<void> write_samples(const std::string& file, const Measured& measured) {
  std::string text = "# device=" + measured.times.device + "\n";
  for (const std::string& note : measured.times.notes) text += "# " + note + "\n";
  std::ostringstream unused;
  return files::write_output(file, text + measured.samples, unused);
}

/// Files of the times so far; a file that is there holds whole rows. Nothing is written without a row, which
/// could not be read again.
Result<void> write(const ProbeKernelsOptions& options, const Measured& measured, std::ostream& out) {
  if (measured.times.times.empty()) return {};
  auto written = files::write_output(options.output, print_kernel_times(measured.times), out);
  if (written && !options.samples.empty()) written = write_samples(options.samples, measured);
  return written;
}

/// Keeps the row of each case, or names its failure. Files are rewritten after each
/// case.
void follow(probes::KernelEffort& effort, Measured& measured, const ProbeKernelsOptions& options,
            std::ostream& log) {
  effort.sampled = [&](const probes::KernelCase& of, const probes::KernelSamples& samples) {
    add_samples(of, samples, measured.samples);
  };
  effort.measured = [&](const measurements::KernelTime& time) {
    measured.times.times.push_back(time);
    if (files::is_standard_output(options.output)) return;
    std::ostringstream unused;
    if (const auto written = write(options, measured, unused); !written)
      throw std::runtime_error(written.error().text());
  };
  effort.failed = [&](const probes::KernelCase& of, std::string_view why) {
    ++measured.failed;
    measured.times.notes.push_back(fmt::format("failed: {} of {} values, ratio {:g}: {}", of.compressor->name,
                                               of.elements, of.ratio, why));
    std::ranges::replace(measured.times.notes.back(), '\n', ' ');
    log << measured.times.notes.back() << std::endl;
  };
}

Measured measure(const std::vector<probes::KernelCase>& cases, const Place& place,
                 const ProbeKernelsOptions& options, std::ostream& log) {
  Measured measured;
  probes::KernelEffort effort{.time = {options.seconds}, .stop = options.stop};
  if (options.heavy_tailed) effort.values = probes::GradientValues::heavy_tailed;
  follow(effort, measured, options, log);
  std::size_t count = 0;
  const auto said = [&](const probes::KernelCase& next) {
    ++count;
    if (options.quiet) return;
    log << fmt::format("{} of {}: {} of {} values, ratio {:g}\n", count, cases.size(), next.compressor->name,
                       next.elements, next.ratio);
  };
  measured.times = {place.name, provenance(place, options, effort.values), {}};
  place.measure(cases, effort, said);
  if (count < cases.size()) {
    measured.times.notes.push_back(fmt::format("stopped after {} of {} cases", count, cases.size()));
    log << measured.times.notes.back() << "\n";
  }
  return measured;
}

Result<void> check_outputs(const ProbeKernelsOptions& options) {
  if (auto writable = files::check_output(options.output); !writable || options.samples.empty())
    return writable;
  if (files::is_standard_output(options.samples))
    return refuse("--samples", "repetitions are not printed", "name a file for them");
  if (files::is_same_file(options.samples, options.output))
    return refuse("--samples", fmt::format("`{}` is the output file of the times", options.samples),
                  "name another file");
  return files::check_output(options.samples, "--samples");
}

/// @returns how many cases failed
Result<std::size_t> probe(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log) {
  const Result<Place> place = options.device == "cuda" ? cuda_device() : processor();
  if (!place) return tl::unexpected(place.error());
  GRADSIM_TRY(cases, read_cases(options, *place));
  if (auto writable = check_outputs(options); !writable) return tl::unexpected(writable.error());
  const Measured measured = measure(*cases, *place, options, log);
  if (auto written = write(options, measured, out); !written) return tl::unexpected(written.error());
  return measured.failed;
}

}  // namespace

int run_probe_kernels(const ProbeKernelsOptions& options, std::ostream& out, std::ostream& log) {
  const Result<std::size_t> failed = probe(options, out, log);
  if (!failed) {
    log << failed.error().text() << "\n";
    return failed.error().where.empty() ? exit_broken : exit_refused;
  }
  return *failed == 0 ? exit_done : exit_broken;
}

}  // namespace calibrate
