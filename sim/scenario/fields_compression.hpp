// Every key under `compression`.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "settings/fields.hpp"
#include "sim/scenario/compression.hpp"

namespace sim::scenario {

constexpr auto names_of(Selection) {
  return std::to_array<settings::Named<Selection>>(
      {{"staleness", Selection::staleness}, {"variance", Selection::variance}});
}

void describe(settings::Fields& fields, CompressionTime& value);

void describe(settings::Fields& fields, Compression& value);

}  // namespace sim::scenario
