// Ways in which a sharded step sends fewer bytes: values in few bits, and copies of parameters inside nodes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// Values of few bits, with a scale of 4 bytes for each block of them; or a share of them, without scales.
struct QuantizedForm {
  double bits = 8;      ///< of a value that is sent, with its index where not all are
  double block = 4096;  ///< values that share a scale; 0: one scale for all of them
  bool integer = true;  ///< else a float
  double share = 1;     ///< of the values that are sent; in (0, 1]

  /// Of so many values on the wire.
  [[nodiscard]] Bytes bytes(double values) const;
  bool operator==(const QuantizedForm&) const = default;
};

/// What of a sharded step is sent in another way. Nothing: as it is held.
struct ShardSending {
  std::optional<QuantizedForm> parameters = {};         ///< of each all-gather
  std::optional<QuantizedForm> gradients_within = {};   ///< of the all-to-all inside nodes
  std::optional<QuantizedForm> gradients_between = {};  ///< of the one between nodes
  /// What each worker sends between nodes of its share of a node's sum, where states are shared inside nodes.
  std::optional<QuantizedForm> replicas = {};
  /// Parameters stay in shares of a node after the forward pass, so that the backward pass gathers inside it.
  bool secondary = false;
  bool differences = false;  ///< parameters are sent as differences from the last ones, which workers keep
  double error_bytes = 0;    ///< of what was not sent of a gradient, for each parameter on each worker

  /// Whether receivers have other values than were sent.
  [[nodiscard]] bool changes_values() const {
    return parameters || gradients_within || gradients_between || replicas;
  }
  /// All that is stated, or may be.
  [[nodiscard]] std::array<std::optional<QuantizedForm>, 4> forms() const {
    return {parameters, gradients_within, gradients_between, replicas};
  }
};

/// A published way of sending less.
struct ShardSendingRow {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  ShardSending sending;
};

/// In a stable order.
std::span<const ShardSendingRow> shard_sendings();

/// @returns the row, or an Error that names the nearest known one
Result<const ShardSendingRow*> find_shard_sending(std::string_view name);

/// One way beside others. @returns an Error where two state the same
Result<ShardSending> together(const ShardSending& one, const ShardSending& other);

/// How long values take to be quantised and restored on a worker.
class QuantizationTimes {
 public:
  virtual ~QuantizationTimes() = default;
  /// @param held  bytes of a value before
  [[nodiscard]] virtual Seconds quantize(const QuantizedForm& form, double values, double held) const = 0;
  /// @param results  values after messages of the same values were added; as many as `values` where none were
  /// @param held     bytes of a result
  [[nodiscard]] virtual Seconds restore(const QuantizedForm& form, double values, double results,
                                        double held) const = 0;
};

}  // namespace netmodels
