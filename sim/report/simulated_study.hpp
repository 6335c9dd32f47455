// A simulated study: each arm with its result and the explanation of its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/crossover.hpp"
#include "sim/engine/bandwidth_steps.hpp"
#include "sim/engine/goodput_steps.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::report {

/// One arm and its result.
struct SimulatedArm {
  const scenario::Scenario* scenario;  ///< lives in the study
  engine::ArmResult result;
  std::vector<engine::ExplainedStep> explained{};  ///< one for each declared phase; empty where not asked for
  std::optional<engine::GoodputSteps> goodput{};  ///< of a cluster with a fabric; nothing where not asked for
};

/// Times per sample of the arms of one world at a bandwidth.
struct TimesAtBandwidth {
  netmodels::Bandwidth bandwidth;
  std::vector<engine::StepRange> times;  ///< times in the order of the arms
};

/// The arms of one world with the least time per sample, over the bandwidth of the links between nodes; each
/// list rises.
struct BandwidthWinners {
  std::vector<std::size_t> arms;  ///< of the study; `candidate` is an index into these
  netmodels::Bandwidth stated;    ///< goodput of a node as the arms state it
  netmodels::Bandwidth low;       ///< the lowest that was tried
  netmodels::Bandwidth high;
  std::vector<netmodels::FastestFrom> assumed;  ///< with the assumed time of compressing
  std::vector<netmodels::FastestFrom> least;  ///< with the least that is possible; equal where it is certain
  std::vector<netmodels::FastestFrom> most;
  std::vector<TimesAtBandwidth> curve = {};  ///< all that were simulated, in rising order of bandwidth
};

/// A study with one random seed.
struct SeedResult {
  std::uint64_t seed = 1;
  command_line::Table rows;  ///< the whole run of each arm, as rows of a sweep
};

/// An unknown that has another value in every sample.
struct DrawnInput {
  std::string name;               ///< its key, or what was fitted: "goodput of nccl_tcp over ..."
  std::string text;               ///< its range
  std::string origin;             ///< file:line:column; empty: its range was published or measured with it
  std::string measure;            ///< a command that measures it; empty where none does
  std::vector<std::string> arms;  ///< that have it
  std::vector<double> values;     ///< by sample, in base units; of fitted inputs the share of values below
};

/// The study with other values of its uncertain inputs.
struct UncertainSamples {
  std::vector<DrawnInput> inputs;
  std::vector<command_line::Table> rows;   ///< by sample: the whole run of each arm, as rows of a sweep
  std::size_t seeds = 1;                   ///< taken in turn by the samples
  std::vector<std::string> not_drawn;      ///< fitted inputs that the scenario did not ask for
  std::vector<std::string> without_range;  ///< what is uncertain by an amount that is not known
};

/// All that an output can show. An interrupted run holds fewer arms than its study.
struct SimulatedStudy {
  std::string file;  ///< as the user named it
  const scenario::Study* study;
  std::vector<SimulatedArm> arms;
  std::vector<SeedResult> seeds{};  ///< in order, the first that of `arms`; empty: one seed was run
  bool seeds_agree = false;         ///< several seeds were asked for, and nothing in it is random
  std::optional<UncertainSamples> uncertain{};   ///< nothing: the stated values were run alone
  std::vector<BandwidthWinners> by_bandwidth{};  ///< one for each world that was asked for
};

}  // namespace sim::report
