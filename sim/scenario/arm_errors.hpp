// The errors of the arms of a study, as one list in the order of their places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::scenario {

/// More errors than this are counted, not listed.
constexpr std::size_t most_errors = 20;

/// Collects errors; one that all arms have is told once, without the name of an arm.
class ArmErrors {
 public:
  void add(const netmodels::Error& error, const std::string& arm);
  /// Leaves out errors at a place that already has one: other reasons of the same key.
  void add_at_new_places(const netmodels::Error& error, const std::string& arm);
  /// Whether further errors would be counted only.
  [[nodiscard]] bool is_full() const { return found_.size() >= most_errors; }

  /// @param arms  how many arms were read
  /// @returns all errors as one, in the order of files, lines and columns; nothing where there are none
  [[nodiscard]] std::optional<netmodels::Error> merged(std::size_t arms) const;

 private:
  struct Found {
    netmodels::Error error;
    std::string arm;  ///< the first that has it
    std::size_t arms = 1;
  };

  void add_one(const netmodels::Error& error, const std::string& arm);

  std::vector<Found> found_;
};

}  // namespace sim::scenario
