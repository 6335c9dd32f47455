// Reads devices, key by key.
#include "sim/inputs/device_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/input_file.hpp"
#include "netmodels/nearest.hpp"
#include "settings/type.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace sim::inputs {

// Every key of a device file.

using namespace settings;

void describe(Fields& fields, EfficiencyKeys& keys) {
  fields.field({.name = "share",
                .doc = "Share of the peak that real kernels reach.",
                .bounds = above_up_to(0, 1),
                .example = "0.8",
                .share = true},
               keys.share);
  fields.field({.name = "source",
                .doc = "Who measured it, and on which device.",
                .example = "copy of 1 GB on one H200"},
               keys.source);
}

void describe(Fields& fields, OverlapSlowdownKeys& keys) {
  fields.field({.name = "share",
                .doc = "Extra time of computing while a collective runs, as a share of its time alone.",
                .bounds = between(0, 100),
                .example = "12 %",
                .share = true},
               keys.share);
  fields.field({.name = "source",
                .doc = "Who measured it, beside what.",
                .example = "backward pass beside 4 channels at 50 GB/s"},
               keys.source);
}

void describe(Fields& fields, PeakKeys& keys) {
  fields.field({.name = "precision", .doc = "Arithmetic that the peak is for.", .example = "bf16"},
               keys.precision);
  fields.field({.name = "peak",
                .doc = "Dense floating-point operations per second.",
                .bounds = above(0),
                .example = "312 TFLOP/s"},
               keys.peak);
  fields.field({.name = "efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.efficiency);
}

void describe(Fields& fields, DeviceKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the device.", .example = "v100_sxm2_datasheet"}, keys.name);
  fields.field({.name = "provenance",
                .doc = "Source of the figures.",
                .example = "\"vendor datasheet: NVIDIA V100, SXM2\""},
               keys.provenance);
  fields.field({.name = "aliases",
                .doc = "Names that profilers and clouds give it; case, spaces and punctuation do not count.",
                .example = "[Tesla V100-SXM2-32GB]"},
               keys.aliases);
  fields.field({.name = "precision", .doc = "Arithmetic that the peak is for.", .fallback = "fp32"},
               keys.precision);
  fields.field({.name = "peak",
                .doc = "Dense floating-point operations per second.",
                .bounds = above(0),
                .example = "15.7 TFLOP/s"},
               keys.peak);
  fields.field({.name = "memory_bandwidth",
                .doc = "Peak of the device's own memory.",
                .bounds = above(0),
                .example = "900 GB/s"},
               keys.memory_bandwidth);
  fields.field(
      {.name = "memory", .doc = "Size of the device's own memory.", .bounds = above(0), .example = "80 GB"},
      keys.memory);
  fields.field({.name = "compute_capability",
                .doc = "Of CUDA, 10 x major + minor: 80 for an A100.",
                .bounds = between(30, 200),
                .example = "80"},
               keys.compute_capability);
  fields.field(
      {.name = "multiprocessors",
       .doc = "Streaming multiprocessors of a GPU, or compute units; kernels of collectives take some "
              "of them from computing.",
       .bounds = between(1, 10000),
       .example = "108"},
      keys.multiprocessors);
  fields.field({.name = "nvlink",
                .doc = "Rate of all its NVLinks in one direction, bridges included; 0 B/s where it has none. "
                       "Without it, unknown.",
                .bounds = at_least(0),
                .example = "300 GB/s"},
               keys.nvlink);
  fields.field({.name = "peaks", .doc = "Peaks in other precisions, which a workload may choose."},
               keys.peaks);
  fields.field({.name = "compute_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.compute_efficiency);
  fields.field({.name = "memory_efficiency", .doc = "Without it, 1: predicted times are lower bounds."},
               keys.memory_efficiency);
  fields.field({.name = "launch",
                .doc = "Fixed time per kernel, never hidden.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               keys.launch);
  fields.field({.name = "overlap_slowdown",
                .doc = "How much longer computing takes while a collective runs: the default of "
                       "`exchange.overlap_slowdown` on this device."},
               keys.overlap_slowdown);
}

std::optional<Problem> problem_of(const DeviceKeys& keys) {
  std::vector<Precision> known{keys.precision};
  for (std::size_t i = 0; i < keys.peaks.size(); ++i) {
    const Precision precision = keys.peaks[i].precision;
    if (std::ranges::find(known, precision) != known.end()) {
      return Problem{fmt::format("peaks[{}].precision", i),
                     fmt::format("duplicate peak in {}", name_of(precision)), "keep one"};
    }
    known.push_back(precision);
  }
  return std::nullopt;
}

// Reads devices.

namespace {

using netmodels::Device;
using netmodels::Efficiency;
using netmodels::Result;

Efficiency efficiency_of(const std::optional<EfficiencyKeys>& keys) {
  return keys ? Efficiency{keys->share, keys->source} : Efficiency{};
}

std::optional<netmodels::OverlapSlowdown> overlap_of(const std::optional<OverlapSlowdownKeys>& keys) {
  if (!keys) return std::nullopt;
  return netmodels::OverlapSlowdown{keys->share, keys->source};
}

/// Whether a name is a slip away from a text.
bool is_slip(std::string_view text, std::string_view name) {
  constexpr std::size_t letters = 2;
  return netmodels::edit_distance(text, name) <= letters;
}

Result<language::Value> device_tree(const language::Value& value, const std::filesystem::path& data_dir) {
  if (!value.is_scalar()) return value;
  GRADSIM_TRY(path, find_device_file(value, data_dir));
  GRADSIM_TRY(document, language::read_document(*path));
  return document->root;
}

Result<DeviceKeys> read_device(const language::Value& map) {
  DeviceKeys keys;
  const language::Field field{map, "", settings::Key{.name = "device", .doc = "a map of the device's keys"}};
  if (const auto read = language::read_map(field, keys); !read) return tl::unexpected(read.error());
  return keys;
}

std::string precisions_of(const DeviceKeys& keys) {
  std::string text(name_of(keys.precision));
  for (const PeakKeys& other : keys.peaks) text += ", " + std::string(name_of(other.precision));
  return text;
}

/// The device with the peak in this precision as its own.
Result<DeviceKeys> in_precision(DeviceKeys keys, Precision precision, const language::Value& value) {
  if (keys.precision == precision) return keys;
  const auto found = std::ranges::find(keys.peaks, precision, &PeakKeys::precision);
  if (found == keys.peaks.end()) {
    return netmodels::refuse(value.origin().text(),
                             fmt::format("`{}` has no peak in {}", keys.name, name_of(precision)),
                             "write `precision` as one of: " + precisions_of(keys));
  }
  keys.precision = precision;
  keys.peak = found->peak;
  keys.compute_efficiency = found->efficiency;
  return keys;
}

/// Lower case, without spaces and punctuation.
std::string bare(std::string_view text) {
  std::string kept;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0) kept += static_cast<char>(std::tolower(code));
  }
  return kept;
}

/// `tesla`, `v100`, `sxm2`, `32gb` of `Tesla V100-SXM2-32GB`.
std::vector<std::string> words_of_name(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
      words.emplace_back();
    else
      words.back() += bare({&letter, 1});
  }
  std::erase(words, "");
  return words;
}

bool is_model(const std::string& word) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const bool is_socket = word.starts_with("sxm");
  return !is_socket && std::ranges::any_of(word, is_digit) &&
         !is_digit(static_cast<unsigned char>(word.front()));
}

/// @param name  of the file
bool is_called(const DeviceKeys& keys, std::string_view name, std::string_view text) {
  const auto is_it = [&](const std::string& alias) { return is_same_name(alias, text); };
  return is_same_name(name, text) || std::ranges::any_of(keys.aliases, is_it);
}

language::Value named_device(const std::string& name) {
  return language::Value::scalar(name, language::Origin("workload"));
}

/// Whether the file of the device can call it so: reading each as YAML would take longer than all else of a
/// small scenario.
Result<bool> may_call(const std::string& name, std::string_view text, const std::filesystem::path& data_dir) {
  if (is_same_name(name, text)) return true;
  GRADSIM_TRY(contents, files::read_input((data_dir / "devices" / (name + ".yaml")).string()));
  return bare(*contents).find(bare(text)) != std::string::npos;
}

}  // namespace

Result<DeviceKeys> load_device_keys(const language::Value& value, const std::filesystem::path& data_dir) {
  GRADSIM_TRY(tree, device_tree(value, data_dir));
  return read_device(*tree);
}

Result<Device> load_device(const language::Value& value, const std::filesystem::path& data_dir,
                           std::optional<Precision> precision) {
  GRADSIM_TRY(tree, device_tree(value, data_dir));
  GRADSIM_TRY(read, read_device(*tree));
  GRADSIM_TRY(keys, in_precision(*read, precision.value_or(read->precision), value));
  const Device device{.name = keys->name,
                      .provenance = keys->provenance,
                      .precision = std::string(name_of(keys->precision)),
                      .peak = keys->peak,
                      .memory_bandwidth = keys->memory_bandwidth,
                      .compute = efficiency_of(keys->compute_efficiency),
                      .memory = efficiency_of(keys->memory_efficiency),
                      .launch = keys->launch,
                      .memory_size = keys->memory,
                      .compute_capability = keys->compute_capability,
                      .multiprocessors = keys->multiprocessors,
                      .overlap = overlap_of(keys->overlap_slowdown)};
  const auto checked = netmodels::check(device);
  if (!checked) return netmodels::refuse(tree->origin().text(), checked.error().what, checked.error().hint);
  return device;
}

std::vector<std::string> list_devices(const std::filesystem::path& data_dir) {
  return language::names_in(data_dir / "devices");
}

Result<std::optional<std::string>> match_device(std::string_view text,
                                                const std::filesystem::path& data_dir) {
  const std::vector<std::string> names = list_devices(data_dir);
  for (const std::string& name : names)
    if (is_same_name(name, text)) return name;
  for (const std::string& name : names) {
    GRADSIM_TRY(possible, may_call(name, text, data_dir));
    if (!*possible) continue;
    GRADSIM_TRY(keys, load_device_keys(named_device(name), data_dir));
    if (is_called(*keys, name, text)) return name;
  }
  return std::nullopt;
}

Result<bool> is_same_device(std::string_view one, std::string_view other,
                            const std::filesystem::path& data_dir) {
  for (const std::string& name : list_devices(data_dir)) {
    GRADSIM_TRY(possible, may_call(name, one, data_dir));
    if (!*possible) continue;
    GRADSIM_TRY(keys, load_device_keys(named_device(name), data_dir));
    if (is_called(*keys, name, one) && is_called(*keys, name, other)) return true;
  }
  return false;
}

bool is_same_name(std::string_view one, std::string_view other) {
  return !bare(one).empty() && bare(one) == bare(other);
}

bool names_model(std::string_view text, std::string_view model) {
  const std::vector<std::string> words = words_of_name(text);
  return std::ranges::find(words, bare(model)) != words.end();
}

std::vector<std::string> near_devices(std::string_view text, const std::filesystem::path& data_dir) {
  const std::vector<std::string> words = words_of_name(text);
  std::vector<std::string> near;
  std::ptrdiff_t most = 1;
  for (const std::string& name : list_devices(data_dir)) {
    const auto is_shared = [&](const std::string& word) { return names_model(name, word); };
    const bool is_same_model = std::ranges::any_of(
        words, [&](const std::string& word) { return is_model(word) && is_shared(word); });
    const std::ptrdiff_t shared = std::ranges::count_if(words, is_shared);
    if (!is_same_model || shared < most) continue;
    if (shared > most) near.clear();
    most = shared;
    near.push_back(name);
  }
  return near;
}

Result<std::filesystem::path> find_device_file(const language::Value& value,
                                               const std::filesystem::path& data_dir) {
  auto named = language::find_named(value, data_dir / "devices", "device");
  if (named) return named;
  GRADSIM_TRY(called, match_device(value.text(), data_dir));
  if (*called) return data_dir / "devices" / (**called + ".yaml");
  const std::vector<std::string> near = near_devices(value.text(), data_dir);
  const auto is_near = [&](const std::string& name) { return is_slip(value.text(), name); };
  if (near.empty() || std::ranges::any_of(list_devices(data_dir), is_near)) return named;
  return netmodels::refuse(
      named.error().where, named.error().what,
      near.size() == 1 ? fmt::format("did you mean `{}`? `sim list devices` shows all", near.front())
                       : fmt::format("write one of {}; `sim list devices` shows all", fmt::join(near, ", ")),
      {{{}, near.back()}});
}

}  // namespace sim::inputs
