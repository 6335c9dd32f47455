// How long NCCL's collectives take on described hardware, term by term.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/nccl/hardware.hpp"
#include "netmodels/nccl/rates.hpp"
#include "netmodels/nccl/tuner.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels::nccl {

/// The time of one operation; the terms add up to it.
struct Time {
  std::optional<Choice> choice = {};  ///< nothing for alltoall, send_recv and a single rank
  Seconds launch = {};                ///< launch of the kernel
  Seconds base = {};                  ///< base latency of the protocol
  Seconds hops = {};                  ///< latency of dependent steps from GPU to GPU and from node to node
  Seconds wire = {};                  ///< bytes over rate
  Seconds fill = {};                  ///< fill of the pipeline, by the first chunks
  Seconds enqueue = {};  ///< processor time of a thread that drives several GPUs, beyond what overlaps; below
                         ///< 0 where that hides more of the GPUs' time than it takes
  Seconds correction = {};  ///< correction by measured points; below 0 where they are faster
  Seconds contention = {};  ///< time beyond a quiet network: links that others use, or that are slower
  /// Share of the slowest link's rate that `wire` uses, in (0, 1]; below 1 where the protocol is the limit.
  double link_share = 1;

  [[nodiscard]] Seconds total() const {
    return launch + base + hops + wire + fill + enqueue + correction + contention;
  }
};

/// Bytes that a GPU sends, relative to the size: 2 (N-1)/N, (N-1)/N or 1. Size over time, times this share,
/// is what nccl-tests calls the bus bandwidth.
/// @param ranks  N, at least 1
double share_of(Operation operation, double ranks);

/// NCCL on some ranks of described hardware.
class Model {
 public:
  /// @returns the model, or the Error of `validate`
  static Result<Model> make(const Hardware& hardware, const Group& group);

  /// T = launch + base + hops + wire + fill; with p GPUs driven by one thread, cpu + max(0, T - 25 us) and
  /// cpu = p * (4 us + 0.2 us * channels).
  /// @param size  as nccl-tests counts it: of all ranks together in all_gather and reduce_scatter, else of
  /// one
  ///              rank; below 1 byte counts as 1 byte
  /// @returns an Error with an empty `where` where the environment leaves the operation without an algorithm
  /// Leaves out: other traffic, slow ranks, the first call's set-up, registered buffers.
  /// Source: nccl-tests tables of 8 A100, 2 RTX 2080 Ti, 2 x 8 H100 over TCPXO and RoCE, V100 DGX-1 and
  /// others; constants are round values, see time.cpp.
  [[nodiscard]] Result<Time> time(Operation operation, Bytes size) const;

  [[nodiscard]] const CostTable& costs() const { return costs_; }
  [[nodiscard]] const Rates& rates() const { return rates_; }
  [[nodiscard]] const Hardware& hardware() const { return hardware_; }
  [[nodiscard]] const Group& group() const { return group_; }

 private:
  Model(const Hardware& hardware, const Group& group);
  Result<void> fit_measured(const Measured& measured);
  Result<void> find_ratios(const Measured& measured);
  /// log(measured / model) at a size, between the points on straight lines over log size.
  [[nodiscard]] double log_ratio(Bytes size) const;
  [[nodiscard]] Result<Time> uncorrected(Operation operation, Bytes size) const;

  Hardware hardware_;
  Group group_;
  CostTable costs_;
  Rates rates_;
  Seconds offset_ = {};  ///< offset from measured points
  double factor_ = 1;    ///< factor on wire and fill, from measured points
  std::vector<std::pair<double, double>>
      ratios_;  ///< log size and log(measured / model), of 3 points and more
};

/// Relative errors: half of them are below the median, nine of ten below p90.
struct Spread {
  double median = 0;
  double p90 = 0;
};

/// Size from which times depend on rates more than on latencies.
inline constexpr Bytes large_size = {1048576};

/// How far times are off on hardware of a kind, on tables of other people's machines of that kind.
struct ErrorClass {
  std::string_view key;  ///< nvlink, pcie, rdma, socket or plugin
  std::string_view name;
  std::string_view advice;  ///< quantity to measure for a smaller error
  Spread alone;             ///< errors of the description alone, sizes from `large_size` on
  Spread small;             ///< likewise, smaller sizes
  Spread measured;          ///< errors with the smallest and the largest size measured, all sizes
};

/// Every class. Leaves out: ranks that share a GPU, whose times have no usual error.
/// Source: 812 figures of nccl-tests tables, 442 of them from `large_size` on; of a machine that is left out,
/// 88 to 90 % of these lie within the p90 of the others of its class (with plugins, 84 %).
/// tests/ledger/nccl_published_test.cpp measures them.
std::span<const ErrorClass> error_classes();

/// The class of a communicator.
const ErrorClass& error_class(const Hardware& hardware, const Group& group);

/// How far a time of this size is usually off: of the class, `measured` where the description has at least
/// two measured points, else `alone` or `small`.
/// @returns nothing for ranks that share a GPU, and for a single rank, which takes no time
std::optional<Spread> usual_error(const Hardware& hardware, const Group& group, Bytes size);

}  // namespace netmodels::nccl
