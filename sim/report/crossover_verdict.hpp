// Which arm is the fastest over the bandwidth of the network, and at which bandwidth that changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Simulates steps of every world's arms at bandwidths of the links between nodes from a hundredth to a
/// hundredfold of the stated one; where NCCL's hardware is described, up to the line rate of its interfaces.
/// @param clusters  where clusters are kept; it holds another one afterwards
/// @param stop  ends the search when true; may be null
/// @returns one entry for each world of two arms or more whose steps depend on that bandwidth; nothing for a
/// study
///          with axes, for one that was interrupted, and for worlds of more than 1024 workers over all arms,
///          or of more than 128 where SimGrid evaluated a collective, because their steps take long; or an
///          Error of `engine::explain`
netmodels::Result<std::vector<BandwidthWinners>> winners_by_bandwidth(const SimulatedStudy& study,
                                                                      engine::ClusterCache& clusters,
                                                                      const std::atomic<bool>* stop);

/// "node", or "worker" where each has its own link: whose goodput the bandwidths of a world are.
std::string_view owner_of_goodput(const SimulatedStudy& study, const std::vector<std::size_t>& arms);

/// "`topk` up to 3.1 Gbit/s, `dense` from there on (a tie from 2.9 Gbit/s to 3.4 Gbit/s)"; "`topk` at all of
/// them"; "no single arm: `topk`, `int8` tie throughout"; "`topk` up to 3.1 Gbit/s, `fp16` from there on;
/// `dense` ties from 28 Gbit/s on".
/// @param names  of the candidates
std::string fastest_text(const std::vector<std::string>& names,
                         const std::vector<netmodels::FastestFrom>& list);

/// "By goodput of each node (here 1 Gbit/s), whatever is learned: `topk` is the fastest up to 3.1 Gbit/s,
/// `dense` from there on (a tie from 2.9 Gbit/s to 3.4 Gbit/s)."; empty where one arm is the fastest at all
/// bandwidths, and no other ties with it from some bandwidth on.
std::string short_crossover(const SimulatedStudy& study, const BandwidthWinners& found);

/// One sentence for each entry of `study.by_bandwidth`: the arms with the least time per sample and the
/// bandwidths at which they change, each with the range in which two arms tie; and how that depends on the
/// time of compressing.
std::vector<std::string> crossover_verdicts(const SimulatedStudy& study);

}  // namespace sim::report
