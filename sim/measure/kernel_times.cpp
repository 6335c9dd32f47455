// Measures compressors at the sizes of a study; their times as a setting of the scenario, kept between runs.
#include "sim/measure/kernel_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "calibrate/fits/kernel_cost.hpp"
#include "calibrate/probes/host_facts.hpp"
#include "files/entries.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_hash.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/step_settings.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"
#if GRADSIM_HAS_CUDA
#include "calibrate/probes/device_kernel_times.hpp"
#include "kernels/device.hpp"
#endif

namespace sim::measure {
namespace {

using calibrate::measurements::KernelTime;
using calibrate::probes::KernelCase;
using netmodels::refuse;
using netmodels::Result;
using scenario::Scenario;

constexpr netmodels::Seconds time_per_case{0.1};

Machine processor() {
  const calibrate::probes::HostFacts host = calibrate::probes::host_facts();
  const std::string name = host.processor.empty() ? "unnamed processor" : host.processor;
  return {name + ", one thread", fmt::format("{}, {} processors, {}", name, host.cores, host.kernel),
          inputs::MeasuredOn::cpu, [](const kernels::Entry&) { return true; },
          [](std::span<const KernelCase> cases) {
            return calibrate::probes::measure_kernels(cases, {.time = time_per_case}, {});
          }};
}

/// Smallest and largest, and in between evenly by rank.
std::vector<std::int64_t> some_of(const std::set<std::int64_t>& sizes) {
  const std::vector<std::int64_t> all(sizes.begin(), sizes.end());
  if (all.size() <= most_sizes) return all;
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < most_sizes; ++i) some.push_back(all[i * (all.size() - 1) / (most_sizes - 1)]);
  return some;
}

/// A fit needs three sizes.
std::vector<std::int64_t> sizes_to_measure(const std::set<std::int64_t>& buckets) {
  constexpr std::size_t least_sizes = 3;
  std::set<std::int64_t> sizes;
  for (const std::int64_t size : buckets) sizes.insert(std::min(size, most_values));
  for (std::int64_t half = *sizes.rbegin() / 2; sizes.size() < least_sizes && half >= 1; half /= 2)
    sizes.insert(half);
  while (sizes.size() < least_sizes) sizes.insert(2 * *sizes.rbegin());
  return some_of(sizes);
}

std::set<double> ratios_of(const scenario::Compression& compression) {
  std::set<double> ratios;
  constexpr double tenth = 0.1, hundredth = 0.01, thousandth = 0.001;
  if (compression.policy->traits.chooses_ratio) return {tenth, hundredth, thousandth};
  ratios.insert(compression.ratio);
  if (!compression.warm_up.any() || compression.warm_up.is_dense()) return ratios;
  for (const double ratio : {hundredth, tenth, 1.0})
    if (ratio > compression.ratio) ratios.insert(ratio);
  return ratios;
}

struct Asked {
  std::set<std::int64_t> sizes;
  std::set<double> ratios;
};

Result<void> add_arm(const Scenario& arm, const Machine& machine,
                     std::map<const kernels::Entry*, Asked>& asked) {
  constexpr const char* key = "compression.kernel_times";
  const scenario::Compression& compression = arm.exchange.compression;
  if (compression.policy->traits.chooses_method()) {
    return refuse(key,
                  fmt::format("`measure` measures the method that the scenario names, and `{}` chooses it",
                              compression.policy.name()),
                  "measure by `calibrate probe kernels`, fit by `calibrate fit kernels`, and name that file");
  }
  if (!compression.compresses()) return {};
  const kernels::Entry* entry = kernels::find(compression.method);
  if (entry == nullptr || !machine.has(*entry)) {
    return refuse(key, fmt::format("`{}` has no implementation on {}", compression.method, machine.name),
                  "state `compression.time`, or choose a method of `sim list compressors` that has one");
  }
  Asked& of = asked[entry];
  of.ratios.merge(ratios_of(compression));
  const auto workers = static_cast<std::uint32_t>(std::max(2, arm.cluster.workers));
  const engine::StepSettings settings =
      engine::step_settings_of(arm.work, arm.cluster, *arm.stated, arm.exchange);
  for (const auto& bucket : engine::plan_exchange(engine::stated_exchange(settings), workers).buckets)
    of.sizes.insert(bucket.bucket.elements);
  return {};
}

/// All that the times depend on.
std::string identity(std::span<const KernelCase> cases, const Machine& machine, const std::string& version) {
  std::string text = fmt::format("{}; {}; {}", machine.name, machine.id, version);
  for (const KernelCase& one : cases)
    text += fmt::format("; {} {} {}", one.compressor->name, one.elements, one.ratio);
  return text;
}

/// @param text  `{device: ...}`
Result<inputs::MeasuredCostsKeys> read_costs(const std::string& text) {
  GRADSIM_TRY(document, language::parse_document(text, "measured times"));
  inputs::MeasuredCostsKeys keys;
  const language::Field field{document->root, "measured", {.name = "measured", .doc = "measured times"}};
  if (auto read = read_map(field, keys); !read) return tl::unexpected(read.error());
  return keys;
}

/// Nothing where nothing was kept, or where it is damaged.
std::optional<std::string> kept_costs(const std::filesystem::path& file) {
  std::error_code failed;
  if (file.empty() || !std::filesystem::exists(file, failed)) return std::nullopt;
  auto text = files::read_text(file);
  if (!text) return std::nullopt;
  const auto costs = read_costs(*text);
  if (!costs || costs->hash != hash_of(*costs)) return std::nullopt;
  return *text;
}

/// Stores measured times; those that cannot be stored are measured again.
void store_costs(const std::filesystem::path& file, const std::string& text,
                 const std::function<void(std::string)>& log) {
  if (file.empty()) return;
  try {
    std::filesystem::create_directories(file.parent_path());
    files::write_file(file, text);
  } catch (const std::system_error& error) {
    log(fmt::format("measured times are not kept: {}", error.what()));
  }
}

Result<std::string> measured_costs(std::span<const KernelCase> cases, const Machine& machine) {
  constexpr const char* key = "compression.kernel_times";
  std::vector<KernelTime> times;
  try {
    times = machine.time(cases);
  } catch (const std::runtime_error& error) {
    return refuse(key, fmt::format("measuring on {} failed: {}", machine.name, error.what()),
                  "state `compression.time`, or name a file of `kernel_times`");
  }
  const auto fits = calibrate::fits::fit_kernel_costs(times);
  if (!fits) return refuse(key, fits.error().what, fits.error().hint);
  std::string rows;
  for (const auto& fit : *fits) rows += (rows.empty() ? "" : ", ") + print_kernel_cost(fit);
  std::ranges::replace(rows, '\n', ' ');
  const auto text = [&](const std::string& hash) {
    return fmt::format("{{device: {}, on: {}, hash: \"{}\", kernels: [{}]}}", files::quoted(machine.name),
                       settings::name_of(machine.on), hash, rows);
  };
  GRADSIM_TRY(costs, read_costs(text("none")));
  return text(hash_of(*costs));
}

}  // namespace

Machine this_machine() {
#if GRADSIM_HAS_CUDA
  if (kernels::device_count() > 0) {
    const kernels::DeviceFacts facts = kernels::device_facts();
    return {facts.name, calibrate::probes::describe(facts), inputs::MeasuredOn::gpu,
            [](const kernels::Entry& row) { return row.make_on_device != nullptr; },
            [](std::span<const KernelCase> cases) {
              return calibrate::probes::measure_device_kernels(cases, {.time = time_per_case}, {});
            }};
  }
#endif
  return processor();
}

Result<std::vector<KernelCase>> kernel_cases(const scenario::Study& study, const Machine& machine) {
  std::map<const kernels::Entry*, Asked> asked;
  for (const Scenario& arm : study.arms) {
    if (!scenario::to_be_measured(arm.exchange.compression)) continue;
    if (auto added = add_arm(arm, machine, asked); !added) return tl::unexpected(added.error());
  }
  std::vector<KernelCase> cases;
  for (const auto& [entry, of] : asked) {
    if (of.sizes.empty()) continue;
    const std::vector<double> ratios(of.ratios.begin(), of.ratios.end());
    const auto more =
        calibrate::probes::kernel_cases(std::span(&entry, 1), sizes_to_measure(of.sizes), ratios);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  std::ranges::stable_sort(cases, {}, [](const KernelCase& one) { return one.compressor->name; });
  return cases;
}

Result<std::optional<std::string>> measured_setting(const scenario::Study& study, const Machine& machine,
                                                    const Keeping& keeping,
                                                    const std::function<void(std::string)>& log) {
  GRADSIM_TRY(cases, kernel_cases(study, machine));
  if (cases->empty()) return std::optional<std::string>{};
  const std::string name = files::hash_of(identity(*cases, machine, keeping.version)) + ".yaml";
  const std::filesystem::path file = keeping.folder.empty() ? "" : keeping.folder / name;
  const std::string prefix = "compression.measured=";
  if (const auto kept = kept_costs(file)) {
    log(fmt::format("compression times measured before on {}: {}", machine.name, file.string()));
    return std::optional(prefix + *kept);
  }
  log(fmt::format("measuring {} cases of compression on {}", cases->size(), machine.name));
  GRADSIM_TRY(text, measured_costs(*cases, machine));
  store_costs(file, *text, log);
  return std::optional(prefix + *text);
}

}  // namespace sim::measure
