// The price of a machine as a file states it, and what a study decides by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "netmodels/quantity.hpp"
#include "settings/demands.hpp"
#include "settings/fields.hpp"
#include "settings/type.hpp"

namespace sim::scenario {

/// The price of a machine.
struct MachineRent {
  std::string machine;  ///< a name of `sim list prices`; empty: `per_machine`
  std::optional<netmodels::DollarRate> per_machine = {};
  bool spot = false;  ///< the spot price of `machine`

  bool operator==(const MachineRent&) const = default;
};

void describe(settings::Fields& fields, MachineRent& value);

/// Figure by which a study orders its arms.
enum class StudyObjective : std::uint8_t { time, cost };

constexpr auto names_of(StudyObjective) {
  return std::to_array<settings::Named<StudyObjective>>(
      {{"time", StudyObjective::time},
       {"cost", StudyObjective::cost, {.needs = {settings::Capability::priced_machines}}}});
}

/// All machines of a cluster, and the price of one.
struct RentedMachines {
  int count = 1;
  netmodels::DollarRate each = {};
  std::string source =
      {};  ///< name, region and date of the price: "aws/p5.48xlarge, us-east-1, approx. 2026"

  [[nodiscard]] netmodels::DollarRate all() const { return static_cast<double>(count) * each; }
};

}  // namespace sim::scenario
