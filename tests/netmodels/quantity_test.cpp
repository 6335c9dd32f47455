// Physical values as text: what is read, what is refused and how, and that print and parse are inverse.
#include "netmodels/quantity.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace {

using namespace netmodels;
using namespace netmodels::literals;

template <class Q>
double read(std::string_view text) {
  const auto value = parse<Q>(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().text());
  return value ? value->count : -1;
}

template <class Q>
std::string refusal(std::string_view text) {
  const auto value = parse<Q>(text);
  return value ? "accepted" : value.error().text();
}

TEST(ParseQuantity, ReadsTimes) {
  EXPECT_EQ(read<Seconds>("1 ms"), 1e-3);
  EXPECT_EQ(read<Seconds>("500ns"), 500e-9);
  EXPECT_EQ(read<Seconds>("1.5e-6 s"), 1.5e-6);
  EXPECT_EQ(read<Seconds>("25 us"), 25e-6);
  EXPECT_EQ(read<Seconds>("25 µs"), 25e-6);
  EXPECT_EQ(read<Seconds>("  2 min "), 120);
  EXPECT_EQ(read<Seconds>("1.5 h"), 5400);
  EXPECT_EQ(read<Seconds>("1 day"), 86400);
  EXPECT_EQ(read<Seconds>("0 s"), 0);
}

TEST(ParseQuantity, DistinguishesBitAndByte) {
  EXPECT_EQ(read<Bandwidth>("10 Gbit/s"), 1.25e9);
  EXPECT_EQ(read<Bandwidth>("10 Gbps"), 1.25e9);
  EXPECT_EQ(read<Bandwidth>("50GB/s"), 50e9);
  EXPECT_EQ(read<Bandwidth>("1 GiB/s"), 1073741824.0);
  EXPECT_EQ(read<Bandwidth>("8 Mibit/s"), 1048576.0);
  EXPECT_EQ(read<Bytes>("8 Mbit"), 1e6);
}

TEST(ParseQuantity, DistinguishesDecimalAndBinaryPrefixes) {
  EXPECT_EQ(read<Bytes>("100MB"), 1e8);
  EXPECT_EQ(read<Bytes>("64 MiB"), 67108864.0);
  EXPECT_EQ(read<Bytes>("1 kB"), 1000);
  EXPECT_EQ(read<Bytes>("1 KiB"), 1024);
  EXPECT_EQ(read<Bytes>("1 TiB"), 1099511627776.0);
}

TEST(ParseQuantity, ReadsWorkAndMoney) {
  EXPECT_EQ(read<Flops>("4.1 GFLOP"), 4.1e9);
  EXPECT_EQ(read<FlopRate>("125 TFLOP/s"), 125e12);
  EXPECT_EQ(read<FlopRate>("125 TFLOPS"), 125e12);
  EXPECT_EQ(read<Dollars>("3.06 USD"), 3.06);
  EXPECT_EQ(read<DollarRate>("3.6 USD/h"), 3.6 / 3600);
}

TEST(ParseQuantity, RoundsOnceOnly) {
  EXPECT_EQ(read<Bandwidth>("0.1 Gbit/s"), read<Bandwidth>("100 Mbit/s"));
  EXPECT_EQ(read<Bandwidth>("5.3 Gbit/s"), 5.3e9 / 8);
  EXPECT_EQ(read<Seconds>("152.5 ms"), 0.1525);
}

TEST(ParseQuantity, RefusesAMissingUnit) {
  EXPECT_EQ(refusal<Seconds>("5"),
            "`5` has no unit; expected a time; accepted units: s, ms, us, ns, min, h, day");
}

TEST(ParseQuantity, RefusesAWrongDimension) {
  EXPECT_EQ(refusal<Bandwidth>("5 ms"),
            "`5 ms` is a time; expected a bandwidth; accepted units: bit/s, kbit/s, Mbit/s, Gbit/s, "
            "Tbit/s, B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s, Gbps");
  EXPECT_EQ(
      refusal<Seconds>("3 GFLOP"),
      "`3 GFLOP` is a number of operations; expected a time; accepted units: s, ms, us, ns, min, h, day");
  EXPECT_EQ(refusal<Dollars>("3 USD/h"),
            "`3 USD/h` is a price per time; expected an amount of money; accepted units: USD, $");
}

TEST(ParseQuantity, RefusesABareB) {
  EXPECT_EQ(refusal<Bandwidth>("10 Gb/s"),
            "the unit `Gb/s` in `10 Gb/s` is ambiguous; write `Gbit/s` for bits or `GB/s` for bytes");
  EXPECT_EQ(refusal<Bandwidth>("10 Gb"),
            "the unit `Gb` in `10 Gb` is ambiguous; write `Gbit/s` for bits or `GB/s` for bytes");
  EXPECT_EQ(refusal<Bandwidth>("10 KB"),
            "the unit `KB` in `10 KB` is ambiguous; write `kB/s` for 1000 bytes or `KiB/s` for 1024 bytes");
  EXPECT_EQ(refusal<Bytes>("10 b"),
            "the unit `b` in `10 b` is ambiguous; write `bit` for bits or `B` for bytes");
  EXPECT_EQ(refusal<Bytes>("10 KB"),
            "the unit `KB` in `10 KB` is ambiguous; write `kB` for 1000 bytes or `KiB` for 1024 bytes");
  EXPECT_EQ(refusal<Flops>("1 GFLOPs"),
            "the unit `GFLOPs` in `1 GFLOPs` is ambiguous; write `GFLOP` for a number of operations or "
            "`GFLOP/s` for a rate");
}

TEST(ParseQuantity, NamesTheRateOfADataSize) {
  EXPECT_EQ(refusal<Bandwidth>("10 Gbit"),
            "`10 Gbit` is a data size; expected a bandwidth; write `10 Gbit/s`");
}

TEST(ParseQuantity, RefusesAnUnknownUnitAndNamesTheNearest) {
  EXPECT_EQ(refusal<Seconds>("5 mss"),
            "the unit `mss` in `5 mss` is unknown; expected a time; did you mean `ms`? accepted units: s, "
            "ms, us, ns, min, h, day");
  EXPECT_EQ(refusal<Seconds>("1,000 s"),
            "the unit `,000 s` in `1,000 s` is unknown; expected a time; accepted units: s, ms, us, ns, "
            "min, h, day");
}

TEST(ParseQuantity, RefusesNegativeAndNonFiniteNumbers) {
  EXPECT_EQ(refusal<Seconds>("-5 ms"),
            "`-5 ms` is negative; expected a time; write zero or more, in s, ms, us, ns, min, h, day");
  const std::string hint =
      "; expected a time; write a number and one of these units: s, ms, us, ns, min, h, day";
  EXPECT_EQ(refusal<Seconds>("nan"), "`nan` is not a number" + hint);
  EXPECT_EQ(refusal<Seconds>(".NaN s"), "`.NaN s` is not a number" + hint);
  EXPECT_EQ(refusal<Seconds>("-inf s"), "`-inf s` is not finite" + hint);
  EXPECT_EQ(refusal<Seconds>(".inf"), "`.inf` is not finite" + hint);
  EXPECT_EQ(refusal<Seconds>("fast"), "`fast` does not begin with a number" + hint);
  EXPECT_EQ(refusal<Seconds>(" "),
            "expected a time, found nothing; write a number and one of these units: s, ms, us, ns, min, h, "
            "day");
  EXPECT_EQ(refusal<Seconds>("0x10 s"),
            "the unit `x10 s` in `0x10 s` is unknown; expected a time; accepted units: s, ms, us, ns, min, "
            "h, day");
}

TEST(ParseQuantity, RefusesWhatDoesNotFit) {
  const std::string text = " does not fit in a floating-point number; write a smaller value";
  EXPECT_EQ(refusal<Seconds>("1e400 s"), "`1e400 s`" + text);
  EXPECT_EQ(refusal<Seconds>("1e307 h"), "`1e307 h`" + text);
  EXPECT_EQ(refusal<Seconds>("1e99999999999 s"), "`1e99999999999 s`" + text);
}

TEST(ParseQuantity, RefusesWhatNoMachineHas) {
  EXPECT_EQ(refusal<Bandwidth>("1e-300 bit/s"),
            "`1e-300 bit/s` is too small; accepted: zero, or 0.000008 bit/s to 8000000000000 Tbit/s");
  EXPECT_EQ(refusal<Seconds>("1e300 s"),
            "`1e300 s` is too large; accepted: zero, or 1e-15 ns to 1000000000000000 s");
  EXPECT_EQ(read<Seconds>("0 s"), 0);
}

TEST(ParseQuantity, ShortensALongWrongValue) {
  EXPECT_EQ(refusal<Seconds>(std::string(100, 'x')).substr(0, 66), "`" + std::string(60, 'x') + "...` ");
}

TEST(PrintQuantity, ChoosesTheUnitAPersonWould) {
  EXPECT_EQ(print(25_Gbps), "25 Gbit/s");
  EXPECT_EQ(print(1_ms), "1 ms");
  EXPECT_EQ(print(100_MB), "100 MB");
  EXPECT_EQ(print(64_MiB), "64 MiB");
  EXPECT_EQ(print(1_MiB), "1 MiB");
  EXPECT_EQ(print(Bytes{1024000}), "1.024 MB");
  EXPECT_EQ(print(Bytes{102228128}), "102.228128 MB");
  EXPECT_EQ(print(Seconds{3600}), "1 h");
  EXPECT_EQ(print(Seconds{100}), "100 s");
  EXPECT_EQ(print(Seconds{0.154}), "154 ms");
  EXPECT_EQ(print(500_ns), "500 ns");
  EXPECT_EQ(print(Seconds{0}), "0 s");
  EXPECT_EQ(print(Flops{4.1e9}), "4.1 GFLOP");
  EXPECT_EQ(print(FlopRate{125e12}), "125 TFLOP/s");
  EXPECT_EQ(print(Dollars{3.06}), "3.06 USD");
  EXPECT_EQ(print(DollarRate{3.06 / 3600}), "3.06 USD/h");
  EXPECT_EQ(print(Seconds{-0.001}), "-1 ms");
}

TEST(PrintQuantity, RoundsToTheDigitsAskedFor) {
  EXPECT_EQ(print(Seconds{0.1234567}, 3), "123 ms");
  EXPECT_EQ(print(Seconds{0.99996}, 4), "1 s");
  EXPECT_EQ(print(Seconds{12345.678}, 3), "3.43 h");
  EXPECT_EQ(print(Bytes{67108864}, 3), "67.1 MB");
  EXPECT_EQ(print(Bandwidth{1.25e9 / 3}, 4), "3.333 Gbit/s");
}

template <class Q>
void expect_round_trips(std::uint64_t seed, int least_exponent) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const double exponent = static_cast<double>(random() % 2900) / 100 + least_exponent;
    const double mantissa = 1 + static_cast<double>(random() >> 11) / 9007199254740992.0;
    const Q value{mantissa * std::pow(10.0, exponent)};
    const auto back = parse<Q>(print(value));
    ASSERT_TRUE(back) << print(value) << ": " << back.error().text();
    ASSERT_EQ(back->count, value.count) << print(value);
  }
}

TEST(PrintQuantity, IsReadBackToTheSameValue) {
  expect_round_trips<Seconds>(1, -15);
  expect_round_trips<Bytes>(2, -6);
  expect_round_trips<Bandwidth>(3, -6);
  expect_round_trips<Flops>(4, -6);
  expect_round_trips<FlopRate>(5, -6);
  expect_round_trips<Dollars>(6, -15);
  expect_round_trips<DollarRate>(7, -15);
}

template <class Q>
std::string read_back(double value) {
  const auto back = parse<Q>(print(Q{value}));
  return !back                  ? back.error().text()
         : back->count == value ? "the same"
                                : print(Q{value}) + " is another value";
}

TEST(PrintQuantity, TheLimitsAreReadBackToo) {
  for (const double value : {1e-24, 5e-9, 1e15}) EXPECT_EQ(read_back<Seconds>(value), "the same");
  for (const double value : {1e-6, 5e-3, 1e24}) EXPECT_EQ(read_back<Bandwidth>(value), "the same");
  for (const double value : {1e-12, 5e9, 1e24}) EXPECT_EQ(read_back<Bytes>(value), "the same");
}

}  // namespace
