// Every key of a workload: of a file in scenarios/workloads, and of a model stated in place.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

/// Time per step outside the device; written as one time where it does not grow with the batch.
struct HostOverheadKeys {
  netmodels::Seconds fixed;
  netmodels::Seconds per_sample;
};

/// Where the times of the layers come from.
struct TimesKeys {
  std::optional<std::string> measured;
  std::optional<netmodels::Seconds> total;
  std::optional<std::string> roofline;
  std::optional<std::string> device;
  int batch = 1;
  std::optional<double> fixed_share;
  std::vector<std::string> unmeasured;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

/// A workload with a layer table.
struct LayeredKeys {
  std::string name;
  std::string provenance;
  std::string layers;
  TimesKeys times;
};

/// A workload without layers.
struct PlainKeys {
  std::string name;
  std::string provenance;
  std::string device;
  std::int64_t parameters = 1;
  netmodels::Seconds compute;
  int batch = 1;
  std::optional<double> fixed_share;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

constexpr std::string_view choice_key(std::type_identity<HostOverheadKeys>) { return "fixed"; }

void describe(settings::Fields& fields, HostOverheadKeys& value);

void describe(settings::Fields& fields, TimesKeys& value);

void describe(settings::Fields& fields, LayeredKeys& value);

void describe(settings::Fields& fields, PlainKeys& value);

}  // namespace sim::scenario
