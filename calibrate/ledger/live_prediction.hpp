// Live MPI and NCCL exchanges, predicted from a ping-pong at another line rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/imports/live_mpi.hpp"
#include "calibrate/ledger/prediction.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// A row and its file.
struct LiveSource {
  std::string file;
  imports::LiveRow row;
};

/// The rows of all files.
netmodels::Result<std::vector<LiveSource>> read_live(const std::vector<SourceText>& sources);

/// The links that ping-pongs show, to be asked for at other line rates.
class PingPongs {
 public:
  /// @returns an Error that names the file where a ping-pong does not show latency and bandwidth
  static netmodels::Result<PingPongs> fit(const std::vector<LiveSource>& rows);

  /// The latency that was measured at another line rate, and that measurement's share of its line rate as
  /// payload, of `setting`'s line rate. Stack, ranks and delay are the same; of several, one of the same file
  /// is taken, then the nearest line rate, then the lower.
  /// @returns nothing where no other line rate was measured
  [[nodiscard]] std::optional<netmodels::LinkState> link_at_other_rate(
      const std::string& file, const imports::LiveSetting& setting) const;

 private:
  struct Fitted {
    std::string file;
    imports::LiveSetting setting;
    netmodels::LinkState link;
  };
  std::vector<Fitted> fitted_;
};

/// Time of computing in an exchange that compresses, as rows of the same bytes, ranks and delay at another
/// line rate have it, which a link does not change; 0 for any other exchange.
/// @returns nothing where a part of it was not measured
std::optional<netmodels::Seconds> computing_of(const imports::LiveRow& row,
                                               const std::vector<LiveSource>& seen);

/// The closed form of a row's messages: that of netmodels, on a link that carries streams both ways where
/// the algorithm does. Binomial broadcasts serve all children at once, those of MPICH by blocking sends; a
/// reduction before a broadcast is Open MPI's default of both. The chain broadcast is not cut into pieces.
/// @returns nothing for a collective or algorithm without a form, and for point-to-point rows
std::optional<netmodels::Seconds> predict_live(const imports::LiveRow& row, const netmodels::LinkState& link);

/// Whether the network and not the processors decide: messages of 256 KiB and more; without added delay,
/// rings, recursive doubling and the chain broadcast on links of at most 500 Mbit/s or at most 4 ranks; with
/// 1 ms and more, all but broadcasts by scatter, and MPICH's broadcasts.
bool is_clean(const imports::LiveRow& row);

}  // namespace calibrate::ledger
