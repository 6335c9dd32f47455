// What summary.json says of a run, read back into tables.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/output/expectations.hpp"
#include "sim/output/sheet.hpp"

namespace sim::output {

/// How many steps of one arm used what.
template <class T>
struct Uses {
  std::string arm;
  std::vector<std::pair<T, std::int64_t>> steps{};
};

/// Published figures beside ours, with what they point into.
struct ReadExpectations {
  std::deque<scenario::Expectation> figures{};
  std::deque<scenario::MeanErrorBound> means{};
  std::deque<scenario::BestAlongAxis> best{};
  ExpectationReport report{};
};

/// What the mean time of a step is made of: columns that every arm and every state of the network has.
inline constexpr std::array<std::string_view, 5> parts_of_step{
    "compute_time_s", "wait_time_s", "compress_time_s", "stream_wait_time_s", "exposed_time_s"};

struct RunSummary {
  std::string scenario;  ///< the file, as the user named it
  std::string question;
  std::string answer;
  std::vector<std::string> verdicts{};
  std::vector<std::string> origins{};  ///< where the numbers come from, one sentence each
  std::vector<std::string> left_out{};
  Sheet arms;    ///< one row for each arm: the columns of the comparison for the whole run
  Sheet phases;  ///< one row for each arm and state of the network, with `phase`; one state: no rows
  Sheet tests;   ///< of the model: arm, time_s, epoch, steps, sent_by_all_bytes, accuracy, loss
  Sheet events;  ///< time, arm, what happened
  std::vector<Uses<std::string>> collectives{};
  std::vector<Uses<std::string>> methods{};
  std::vector<Uses<double>> ratios{};
  ReadExpectations expected{};
};

/// @param text    of summary.json
/// @param source  for messages: the file's name
/// @returns an Error for what is no JSON, of another schema version, not what `sim run --out`
///          writes, or without a column in one arm or in all (naming column and arm)
netmodels::Result<RunSummary> read_run_summary(const std::string& text, const std::string& source);

}  // namespace sim::output
