// The contents of a run's summary.json, read back into tables.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"
#include "sim/report/expectations.hpp"

namespace sim::report {

/// How many steps of one arm used what.
template <class T>
struct Uses {
  std::string arm;
  std::vector<std::pair<T, std::int64_t>> steps{};
};

/// Published figures and ours, with the data that they point into.
struct ReadExpectations {
  std::deque<scenario::Expectation> figures{};
  std::deque<scenario::MeanErrorBound> means{};
  std::deque<scenario::BestAlongAxis> best{};
  ExpectationReport report{};
};

struct RunSummary {
  std::string scenario;  ///< the file, as the user named it
  std::string question;
  std::string answer;
  std::vector<std::string> verdicts{};
  std::vector<std::string> origins{};  ///< where the numbers come from, one sentence each
  std::vector<std::string> left_out{};
  std::vector<std::string> warnings{};
  command_line::Table arms;  ///< one row for each arm: the columns of the comparison for the whole run
  command_line::Table
      phases;  ///< one row for each arm and state of the network, with `phase`; one state: no rows
  command_line::Table tests;   ///< of the model: arm, time_s, epoch, steps, sent_by_all_bytes, accuracy, loss
  command_line::Table events;  ///< time, arm, event
  /// Means over seeds: arm, seeds, and of each figure KEY with the ends of its interval, KEY_least and
  /// KEY_most; no rows where one seed was run.
  command_line::Table seeds;
  /// Medians over samples of uncertain inputs, likewise with the 5th and the 95th percentile, and `samples`.
  command_line::Table samples;
  /// Times per sample over the bandwidth between nodes, for each arm: bandwidth_bytes_per_s, arm,
  /// time_per_sample_s with its ends of other times of compressing, KEY_least and KEY_most; no rows where
  /// other bandwidths were not simulated.
  command_line::Table by_bandwidth;
  std::vector<std::pair<double, double>>
      bandwidth_ties{};  ///< ranges in which two arms tie, bytes per second
  std::vector<Uses<std::string>> collectives{};
  std::vector<Uses<std::string>> methods{};
  std::vector<Uses<double>> ratios{};
  ReadExpectations expected{};
};

/// @param text    of summary.json
/// @param source  for messages: the file's name
/// @returns an Error for text that is not JSON, of another schema version, not what `sim run --out`
///          writes, or without a column in one arm or in all (naming column and arm)
netmodels::Result<RunSummary> read_run_summary(const std::string& text, const std::string& source);

}  // namespace sim::report
