// The units in which each dimension may be written.
#include "netmodels/unit.hpp"

#include <array>

namespace netmodels {
namespace {

constexpr double kibi = 1024.0;
constexpr double mebi = kibi * kibi;
constexpr double gibi = mebi * kibi;
constexpr double tebi = gibi * kibi;

constexpr auto time_units = std::to_array<Unit>({{"s", 0},
                                                 {"ms", -3},
                                                 {"us", -6},
                                                 {"µs", -6},
                                                 {"μs", -6},
                                                 {"ns", -9},
                                                 {"min", 0, 60},
                                                 {"h", 0, 3600},
                                                 {"day", 0, 86400}});
constexpr auto size_units = std::to_array<Unit>({{"B", 0},
                                                 {"kB", 3},
                                                 {"MB", 6},
                                                 {"GB", 9},
                                                 {"TB", 12},
                                                 {"KiB", 0, kibi},
                                                 {"MiB", 0, mebi},
                                                 {"GiB", 0, gibi},
                                                 {"TiB", 0, tebi},
                                                 {"bit", 0, 1, 8},
                                                 {"kbit", 3, 1, 8},
                                                 {"Mbit", 6, 1, 8},
                                                 {"Gbit", 9, 1, 8},
                                                 {"Tbit", 12, 1, 8}});
constexpr auto bandwidth_units = std::to_array<Unit>({{"bit/s", 0, 1, 8},
                                                      {"kbit/s", 3, 1, 8},
                                                      {"Mbit/s", 6, 1, 8},
                                                      {"Gbit/s", 9, 1, 8},
                                                      {"Tbit/s", 12, 1, 8},
                                                      {"bps", 0, 1, 8},
                                                      {"kbps", 3, 1, 8},
                                                      {"Mbps", 6, 1, 8},
                                                      {"Gbps", 9, 1, 8},
                                                      {"Tbps", 12, 1, 8},
                                                      {"Kibit/s", 0, kibi, 8},
                                                      {"Mibit/s", 0, mebi, 8},
                                                      {"Gibit/s", 0, gibi, 8},
                                                      {"Tibit/s", 0, tebi, 8},
                                                      {"B/s", 0},
                                                      {"kB/s", 3},
                                                      {"MB/s", 6},
                                                      {"GB/s", 9},
                                                      {"TB/s", 12},
                                                      {"KiB/s", 0, kibi},
                                                      {"MiB/s", 0, mebi},
                                                      {"GiB/s", 0, gibi},
                                                      {"TiB/s", 0, tebi}});
constexpr auto work_units = std::to_array<Unit>({{"FLOP", 0},
                                                 {"kFLOP", 3},
                                                 {"MFLOP", 6},
                                                 {"GFLOP", 9},
                                                 {"TFLOP", 12},
                                                 {"PFLOP", 15},
                                                 {"EFLOP", 18},
                                                 {"ZFLOP", 21}});
constexpr auto work_rate_units = std::to_array<Unit>({{"FLOP/s", 0},
                                                      {"kFLOP/s", 3},
                                                      {"MFLOP/s", 6},
                                                      {"GFLOP/s", 9},
                                                      {"TFLOP/s", 12},
                                                      {"PFLOP/s", 15},
                                                      {"EFLOP/s", 18},
                                                      {"FLOPS", 0},
                                                      {"MFLOPS", 6},
                                                      {"GFLOPS", 9},
                                                      {"TFLOPS", 12},
                                                      {"PFLOPS", 15},
                                                      {"EFLOPS", 18}});
constexpr auto money_units = std::to_array<Unit>({{"USD", 0}, {"$", 0}});
constexpr auto price_units = std::to_array<Unit>({{"USD/s", 0},
                                                  {"USD/min", 0, 1, 60},
                                                  {"USD/h", 0, 1, 3600},
                                                  {"USD/day", 0, 1, 86400},
                                                  {"$/s", 0},
                                                  {"$/min", 0, 1, 60},
                                                  {"$/h", 0, 1, 3600},
                                                  {"$/day", 0, 1, 86400}});

constexpr auto dimension_table = std::to_array<Dimension>({
    {"a time", "s, ms, us, ns, min, h, day", time_units, 1e-24, 1e15},
    {"a data size", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, bit, kbit, Mbit, Gbit, Tbit", size_units, 1e-12,
     1e24},
    {"a bandwidth", "bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Gbps",
     bandwidth_units, 1e-6, 1e24},
    {"a number of operations", "FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP, EFLOP, ZFLOP", work_units, 1e-12,
     1e36},
    {"a computing rate", "FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s, TFLOPS", work_rate_units, 1e-6,
     1e30},
    {"an amount of money", "USD, $", money_units, 1e-15, 1e18},
    {"a price per time", "USD/h, USD/s, USD/min, USD/day, $/h", price_units, 1e-21, 1e15},
});

}  // namespace

std::span<const Dimension> dimensions() { return dimension_table; }

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace netmodels
