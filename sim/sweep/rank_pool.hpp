// Work handed out to the ranks of an MPI job: the same pieces, on more than one machine.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/sweep/process_pool.hpp"

namespace sim::sweep {

/// This process as a rank of its job. Rank 0 hands pieces out, each to the next rank that is idle, and does
/// none itself; the others do one at a time, each in a child process, so that a piece that crashes takes no
/// rank with it. A rank that is not heard of for `lost_after` counts as lost, and another rank gets its
/// piece; a piece that two ranks were lost with has failed. Whether the job outlives a lost rank is the
/// launcher's choice: `srun` lets it, Open MPI's `mpirun` ends it by default
/// (`--enable-recovery`).
///
/// Leaves out: a new rank for a lost one; the death of rank 0 ends the job.
class Ranks {
 public:
  /// Joins the job that a launcher started this process in; at most once in a process.
  /// @param lost_after  at least `least_silence`
  /// @throws std::runtime_error where this build has no MPI
  explicit Ranks(netmodels::Seconds lost_after = netmodels::Seconds{30});
  /// Dismisses the others, or waits to be dismissed.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  Ranks(Ranks&&) = delete;
  Ranks& operator=(Ranks&&) = delete;

  /// The least `lost_after`: a few times the second between two signs of life.
  static constexpr netmodels::Seconds least_silence() { return netmodels::Seconds{3}; }

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] bool leads() const;  ///< whether this is rank 0
  /// The ranks that no longer answer, rising.
  [[nodiscard]] std::vector<std::size_t> lost() const;

  /// Has, on rank 0, the other ranks do the pieces, which must mean the same to them. Uses neither `work` nor
  /// `jobs` nor `timeout`, which the others have.
  /// @returns how many pieces ended
  /// @throws std::runtime_error where all other ranks are lost
  std::size_t hand_out(const PooledWork& all);

  /// Lets, on rank 0, the others end. It may be silent from then on.
  void dismiss();

  /// Does, on the other ranks, the pieces of rank 0 until it ends.
  /// @param work     as `PooledWork::work`
  /// @param timeout  of one piece
  /// @throws std::runtime_error where rank 0 is not heard of for `lost_after`
  void serve(const std::function<std::string(std::size_t)>& work, std::optional<netmodels::Seconds> timeout);

 private:
  class Job;
  std::unique_ptr<Job> job_;
};

}  // namespace sim::sweep
