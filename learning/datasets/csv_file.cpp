// Turns rows of numbers into training and test samples.
#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "learning/datasets/file_bytes.hpp"
#include "learning/datasets/readers.hpp"
#include "learning/datasets/sampler.hpp"
#include "learning/datasets/streams.hpp"
#include "settings/type.hpp"

namespace learning::datasets {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::size_t most_csv_bytes = 2'000'000'000;
constexpr std::size_t most_classes = 65'536;

/// Numbers of rows.
using Rows = std::vector<std::uint32_t>;

/// Mean and standard deviation of a feature over the training rows.
struct Spread {
  double mean = 0;
  double deviation = 0;
};

/// All rows, and which of them train and which test.
struct Split {
  CsvTable table;
  Rows train;
  Rows test;
};

Result<CsvTable> read_table(const fs::path& path, LabelColumn label) {
  GRADSIM_TRY(bytes, read_bytes(path, most_csv_bytes, "check the path"));
  return read_csv({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string(), label);
}

Split hold_out(CsvTable table, double share, std::uint64_t seed) {
  const std::size_t rows = table.rows();
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(rows)));
  const std::size_t held_out = std::clamp<std::size_t>(wanted, 1, rows - 1);
  Rows order(rows);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, stream_for(Purpose::held_out, seed));
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(held_out);
  Split split{std::move(table), {cut, order.end()}, {order.begin(), cut}};
  std::ranges::sort(split.test);
  std::ranges::sort(split.train);
  return split;
}

/// The rows of both files as one table.
Split with_test_file(CsvTable train, const CsvTable& test) {
  Split split{std::move(train), {}, {}};
  const auto rows = static_cast<std::uint32_t>(split.table.rows());
  split.table.values.insert(split.table.values.end(), test.values.begin(), test.values.end());
  split.table.labels.insert(split.table.labels.end(), test.labels.begin(), test.labels.end());
  for (std::uint32_t i = 0; i < split.table.rows(); ++i) (i < rows ? split.train : split.test).push_back(i);
  return split;
}

Result<Split> read_split(const CsvFile& file) {
  GRADSIM_TRY(table, read_table(file.path, file.label));
  if (!file.test_path) {
    if (table->rows() >= 2) return hold_out(std::move(*table), file.test_share, file.seed);
    return refuse(file.path, "the file has one row", "write at least one to train with and one to test");
  }
  GRADSIM_TRY(test, read_table(*file.test_path, file.label));
  if (test->features != table->features) {
    return refuse(*file.test_path,
                  fmt::format("its lines have {} columns, but those of the training file have {}",
                              test->features + 1, table->features + 1),
                  "give both files the same columns");
  }
  return with_test_file(std::move(*table), *test);
}

std::optional<long long> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// The class of each label: its place among the distinct keys.
template <class Key>
std::vector<std::size_t> places(const std::vector<Key>& keys) {
  std::map<Key, std::size_t> known;
  for (const Key& key : keys) known.emplace(key, 0);
  std::size_t next = 0;
  for (auto& [key, place] : known) place = next++;
  std::vector<std::size_t> found;
  found.reserve(keys.size());
  for (const Key& key : keys) found.push_back(known.find(key)->second);
  return found;
}

std::vector<std::size_t> classes_of(const std::vector<std::string>& labels) {
  std::vector<long long> numbers;
  for (const std::string& label : labels) {
    const auto number = whole_number(label);
    if (!number) return places(labels);
    numbers.push_back(*number);
  }
  return places(numbers);
}

std::vector<Spread> spreads(const CsvTable& table, const Rows& rows) {
  std::vector<Spread> spread(table.features);
  const auto count = static_cast<double>(rows.size());
  for (std::size_t i = 0; i < table.features; ++i) {
    for (const std::size_t row : rows) spread[i].mean += table.values[row * table.features + i] / count;
    double squares = 0;
    for (const std::size_t row : rows) {
      const double distance = table.values[row * table.features + i] - spread[i].mean;
      squares += distance * distance / count;
    }
    // A constant feature: what is left of its squares is rounding.
    const double rounding = 1e-12 * std::abs(spread[i].mean);
    spread[i].deviation = std::sqrt(squares) > rounding ? std::sqrt(squares) : 0;
  }
  return spread;
}

Samples samples_of(const CsvTable& table, const Rows& rows, std::span<const std::size_t> classes,
                   std::span<const Spread> spread) {
  std::vector<float> values;
  std::vector<std::uint16_t> labels;
  values.reserve(rows.size() * table.features);
  labels.reserve(rows.size());
  for (const std::size_t row : rows) {
    for (std::size_t i = 0; i < table.features; ++i) {
      const double distance = table.values[row * table.features + i] - spread[i].mean;
      values.push_back(spread[i].deviation > 0 ? static_cast<float>(distance / spread[i].deviation) : 0.F);
    }
    labels.push_back(static_cast<std::uint16_t>(classes[row]));
  }
  return {table.features, std::move(values), std::move(labels)};
}

}  // namespace

void describe(settings::Fields& fields, CsvFile& settings) {
  fields.field({.name = "path", .doc = "File with one sample on each line.", .example = "data/letters.csv"},
               settings.path);
  fields.field({.name = "test_path",
                .doc = "File with the test samples; without it, a share of `path` is held out.",
                .example = "data/letters_test.csv"},
               settings.test_path);
  fields.field({.name = "label", .doc = "Column of the class.", .fallback = "last"}, settings.label);
  fields.field({.name = "test_share",
                .doc = "Share of the samples that is held out for the test.",
                .fallback = "20 %",
                .bounds = ::settings::above_up_to(0, 0.9),
                .share = true},
               settings.test_share);
  fields.field({.name = "seed",
                .doc = "Seed that selects the held-out samples.",
                .fallback = "0",
                .bounds = ::settings::between(0, 9e18)},
               settings.seed);
}

Result<Dataset> load_csv(const CsvFile& file) {
  assert(file.test_share > 0 && file.test_share < 1);
  GRADSIM_TRY(split, read_split(file));
  const std::vector<std::size_t> classes = classes_of(split->table.labels);
  const std::size_t count = std::ranges::max(classes) + 1;
  if (count < 2 || count > most_classes) {
    return refuse(file.path, fmt::format("its rows have {} different label(s)", count),
                  "accepted: 2 to 65536; is the label the first or the last column?");
  }
  const std::vector<Spread> spread = spreads(split->table, split->train);
  Dataset set;
  set.name = fs::path(file.path).filename().string();
  set.provenance = "read from " + set.name;
  set.kind = SampleKind::vector;
  set.shape = {1, 1, static_cast<int>(split->table.features)};
  set.classes = static_cast<int>(count);
  set.train = samples_of(split->table, split->train, classes, spread);
  set.test = samples_of(split->table, split->test, classes, spread);
  set.sample_bytes = split->table.features * sizeof(float) + sizeof(std::uint16_t);
  return set;
}

}  // namespace learning::datasets
