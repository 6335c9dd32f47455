// Reads the JSON form of nccl-tests' results.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/imports/json_members.hpp"
#include "calibrate/imports/json_text.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using nlohmann::json;

constexpr double most_ranks = 1e9;
constexpr double most_wrong = 9e15;  // whole numbers below are exact

/// A number, written as one or as text.
std::optional<double> number(const json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? files::read_number(value.get_ref<const std::string&>()) : std::nullopt;
}

/// The number as a whole one; nothing where it is none or larger than `most`.
std::optional<long long> whole(const json& value, double most) {
  const auto read = number(value);
  return read && std::abs(*read) <= most ? std::optional(std::llround(*read)) : std::nullopt;
}

Result<std::optional<NcclTestsHalf>> read_half(const json& half, const std::string& where) {
  if (!half.is_object()) return std::optional<NcclTestsHalf>();
  const json& time = member(half, "time").is_null() ? member(half, "cpu_time") : member(half, "time");
  const auto time_us = number(time);
  const auto algorithm = number(member(half, "alg_bw"));
  const auto bus = number(member(half, "bus_bw"));
  for (const auto& value : {time_us, algorithm, bus}) {
    if (!value || !std::isfinite(*value) || *value < 0) {
      return refuse(where, "`time`, `alg_bw` or `bus_bw` is missing or not a number",
                    "accepted: finite numbers, 0 or above");
    }
  }
  NcclTestsHalf read{*time_us, *algorithm, *bus, {}};
  if (const auto wrong = whole(member(half, "nwrong"), most_wrong)) read.wrong = *wrong;
  return std::optional(read);
}

Result<NcclTestsRow> read_result(const json& result, int index, const std::string& source) {
  const std::string where = fmt::format("{}: results[{}]", source, index - 1);
  const auto size = number(member(result, "size"));
  const auto count = number(member(result, "count"));
  const auto type = as_text(member(result, "type"));
  const auto bytes = type ? element_bytes(*type) : std::nullopt;
  if (!size || !count || !bytes) return refuse(where, "`size`, `count` or `type` is missing or unknown");
  NcclTestsRow row{where, *size, *count, *bytes, *type, text_or_empty(member(result, "redop")),
                   {},    {},    {},     {}};
  if (as_text(member(result, "redop"))) row.reduces = !row.reduction.empty() && row.reduction != "none";
  if (const auto root = whole(member(result, "root"), most_ranks)) row.root = static_cast<int>(*root);
  for (const auto& [name, half] : {std::pair{"out_of_place", &NcclTestsRow::out_of_place},
                                   std::pair{"in_place", &NcclTestsRow::in_place}}) {
    GRADSIM_TRY(read, read_half(member(result, name), where + "." + name));
    row.*half = *read;
  }
  return row;
}

/// The program that `args` names, without its folder.
std::optional<std::string> program_of(const json& document) {
  const json& arguments = member(document, "args");
  if (!arguments.is_array() || arguments.empty()) return std::nullopt;
  const auto name = as_text(arguments.front());
  if (!name || !name->ends_with("_perf")) return std::nullopt;
  return name->substr(name->rfind('/') + 1);
}

std::vector<NcclTestsRank> ranks_of(const json& document) {
  std::vector<NcclTestsRank> ranks;
  for (const json& device : member(document, "devices")) {
    const auto rank = whole(member(device, "rank"), most_ranks);
    if (!rank) continue;
    ranks.push_back({static_cast<int>(*rank), text_or_empty(member(device, "hostname")),
                     as_text(member(device, "device_info")).value_or("unknown device")});
  }
  return ranks;
}

std::optional<std::string> number_or_text(const json& value) {
  if (value.is_number_integer()) return std::to_string(value.get<long long>());
  return as_text(value);
}

}  // namespace

Result<NcclTestsLog> read_nccl_tests_json(std::string_view text, const std::string& source) {
  GRADSIM_TRY(document, parse_json(text, source));
  NcclTestsLog log;
  log.source = source;
  log.program = program_of(*document);
  log.nccl = number_or_text(member(*document, "nccl_version"));
  log.ranks = ranks_of(*document);
  log.has_begin = log.has_end = true;  // a document that ends early cannot be read
  if (member(member(*document, "out_of_bounds"), "okay") == false)
    log.wrong_results = "`out_of_bounds` is not okay";
  int index = 0;
  for (const json& result : member(*document, "results")) {
    GRADSIM_TRY(row, read_result(result, ++index, source));
    log.rows.push_back(*row);
  }
  return log;
}

}  // namespace calibrate::imports
