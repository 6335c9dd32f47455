// Physical values with their dimension in the type: bytes, seconds, rates, FLOP, dollars.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace netmodels {

/// A number of base units (second, byte, FLOP, US dollar) raised to the given powers.
/// Sums and comparisons need equal dimensions; products and quotients carry them along, so that
/// bytes / bandwidth is a time and a dimension error does not compile.
template <int TimePower, int DataPower, int WorkPower = 0, int MoneyPower = 0>
struct Quantity {
  double count = 0;  ///< value in base units

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    count += other.count;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count -= other.count;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    count *= factor;
    return *this;
  }
};

using Seconds = Quantity<1, 0>;
using Bytes = Quantity<0, 1>;
using Bandwidth = Quantity<-1, 1>;         ///< bytes per second, per direction
using Flops = Quantity<0, 0, 1>;           ///< floating-point operations
using FlopRate = Quantity<-1, 0, 1>;       ///< floating-point operations per second
using Dollars = Quantity<0, 0, 0, 1>;      ///< US dollars
using DollarRate = Quantity<-1, 0, 0, 1>;  ///< US dollars per second

inline constexpr double seconds_per_hour = 3600;

template <int T, int D, int W, int M>
constexpr Quantity<T, D, W, M> operator+(Quantity<T, D, W, M> a, Quantity<T, D, W, M> b) {
  return {a.count + b.count};
}
template <int T, int D, int W, int M>
constexpr Quantity<T, D, W, M> operator-(Quantity<T, D, W, M> a, Quantity<T, D, W, M> b) {
  return {a.count - b.count};
}
template <int T, int D, int W, int M>
constexpr Quantity<T, D, W, M> operator*(Quantity<T, D, W, M> a, double factor) {
  return {a.count * factor};
}
template <int T, int D, int W, int M>
constexpr Quantity<T, D, W, M> operator*(double factor, Quantity<T, D, W, M> a) {
  return {factor * a.count};
}
template <int T, int D, int W, int M>
constexpr Quantity<T, D, W, M> operator/(Quantity<T, D, W, M> a, double divisor) {
  return {a.count / divisor};
}

/// Products and quotients of two quantities; a dimensionless outcome is a plain double.
template <int T1, int D1, int W1, int M1, int T2, int D2, int W2, int M2>
constexpr auto operator*(Quantity<T1, D1, W1, M1> a, Quantity<T2, D2, W2, M2> b) {
  if constexpr (T1 + T2 == 0 && D1 + D2 == 0 && W1 + W2 == 0 && M1 + M2 == 0)
    return a.count * b.count;
  else
    return Quantity<T1 + T2, D1 + D2, W1 + W2, M1 + M2>{a.count * b.count};
}
template <int T1, int D1, int W1, int M1, int T2, int D2, int W2, int M2>
constexpr auto operator/(Quantity<T1, D1, W1, M1> a, Quantity<T2, D2, W2, M2> b) {
  if constexpr (T1 == T2 && D1 == D2 && W1 == W2 && M1 == M2)
    return a.count / b.count;
  else
    return Quantity<T1 - T2, D1 - D2, W1 - W2, M1 - M2>{a.count / b.count};
}

/// Reads one value with its unit, e.g. "25 Gbit/s", "1 ms", "64 MiB", "1.5e-6 s". A blank between number and
/// unit is optional. Prefixes are decimal (k M G T, also m u n for time); Ki Mi Gi Ti are powers of 1024.
/// `b` without a prefix is an error because it is read as bit by some and as byte by others.
/// @returns the value (zero, or between limits far beyond every machine, such as 1e-24 s and 1e15 s), or an
/// Error with an empty `where` that names the text and
///          which units are accepted
template <class Q>
Result<Q> parse(std::string_view text);

/// The shortest text that `parse` reads back to the same value where it is within its limits, in the unit a
/// person would choose.
/// @param digits significant digits; 0 means as many as are needed to read back the same value
std::string print(Seconds value, int digits = 0);
std::string print(Bytes value, int digits = 0);
std::string print(Bandwidth value, int digits = 0);  ///< bit/s with a decimal prefix
std::string print(Flops value, int digits = 0);
std::string print(FlopRate value, int digits = 0);
std::string print(Dollars value, int digits = 0);
std::string print(DollarRate value, int digits = 0);  ///< per hour

/// The units accepted for one dimension, for messages and help texts: "s, ms, us, ns, min, h, day".
template <class Q>
std::string_view accepted_units();

namespace literals {
constexpr Seconds operator""_s(long double v) { return {static_cast<double>(v)}; }
constexpr Seconds operator""_s(unsigned long long v) { return {static_cast<double>(v)}; }
constexpr Seconds operator""_ms(long double v) { return {static_cast<double>(v) / 1e3}; }
constexpr Seconds operator""_ms(unsigned long long v) { return {static_cast<double>(v) / 1e3}; }
constexpr Seconds operator""_us(long double v) { return {static_cast<double>(v) / 1e6}; }
constexpr Seconds operator""_us(unsigned long long v) { return {static_cast<double>(v) / 1e6}; }
constexpr Seconds operator""_ns(unsigned long long v) { return {static_cast<double>(v) / 1e9}; }
constexpr Bytes operator""_B(unsigned long long v) { return {static_cast<double>(v)}; }
constexpr Bytes operator""_MB(unsigned long long v) { return {static_cast<double>(v) * 1e6}; }
constexpr Bytes operator""_MiB(unsigned long long v) { return {static_cast<double>(v) * 1048576}; }
constexpr Bandwidth operator""_Gbps(long double v) { return {static_cast<double>(v) * 1.25e8}; }
constexpr Bandwidth operator""_Gbps(unsigned long long v) { return {static_cast<double>(v) * 1.25e8}; }
}  // namespace literals

}  // namespace netmodels
