// Work in separate processes: results, crashes, timeouts, interruptions.
#include "sim/sweep/process_pool.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "files/module.hpp"

namespace sim::sweep {
namespace {

using ::testing::StartsWith;

std::map<std::size_t, WorkOutcome> outcomes(PooledWork all) {
  std::map<std::size_t, WorkOutcome> found;
  all.done = [&](std::size_t piece, WorkOutcome outcome) { found.emplace(piece, std::move(outcome)); };
  const std::size_t ended = run_in_processes(all);
  EXPECT_EQ(ended, found.size());
  return found;
}

TEST(ProcessPool, EveryPieceReturnsItsText) {
  PooledWork all;
  all.pieces = pieces_below(20);
  all.jobs = 3;
  all.work = [](std::size_t piece) { return std::string(piece * 10'000, 'x') + std::to_string(getpid()); };
  const auto found = outcomes(all);
  ASSERT_EQ(found.size(), 20U);
  for (const auto& [piece, outcome] : found) {
    EXPECT_FALSE(outcome.failure);
    EXPECT_GT(outcome.text.size(), piece * 10'000);
    EXPECT_NE(outcome.text.substr(piece * 10'000), std::to_string(getpid()));
  }
  EXPECT_NE(found.at(0).text, found.at(1).text.substr(10'000));
}

TEST(ProcessPool, ACrashIsItsOwnPiecesFailure) {
  PooledWork all;
  all.pieces = pieces_below(4);
  all.jobs = 2;
  all.work = [](std::size_t piece) -> std::string {
    if (piece == 1) (void)std::raise(SIGKILL);
    if (piece == 2) throw std::runtime_error("no such thing");
    if (piece == 3) _exit(7);
    return "fine";
  };
  const auto found = outcomes(all);
  EXPECT_EQ(found.at(0).text, "fine");
  EXPECT_EQ(found.at(1).failure, "killed by signal 9 (Killed)");
  EXPECT_EQ(found.at(2).failure, "no such thing");
  EXPECT_EQ(found.at(3).failure, "ended with exit code 7");
  EXPECT_EQ(found.at(2).text, "");
}

TEST(ProcessPool, AModuleThatAPieceHasOpenedIsOpenInTheNext) {
  PooledWork all;
  all.pieces = pieces_below(3);
  all.work = [](std::size_t piece) {
    const bool open = std::ranges::count(files::open_modules(), "gradsim_pagmo") > 0;
    if (piece == 1) (void)files::open_module_entry("gradsim_pagmo");
    return std::string(open ? "open" : "closed");
  };
  const auto found = outcomes(all);
  EXPECT_EQ(found.at(0).text, "closed");
  EXPECT_EQ(found.at(1).text, "closed");
  EXPECT_EQ(found.at(2).text, "open");
}

/// The process of each piece.
std::map<std::size_t, std::string> processes_of(const std::map<std::size_t, WorkOutcome>& found) {
  std::map<std::size_t, std::string> processes;
  for (const auto& [piece, outcome] : found) processes[piece] = outcome.text;
  return processes;
}

TEST(ProcessPool, AProcessTakesPiecesUntilItsShiftIsOver) {
  PooledWork all;
  all.pieces = pieces_below(40);
  all.work = [](std::size_t) { return std::to_string(getpid()); };
  const auto count = [&all] {
    std::set<std::string> different;
    for (const auto& [piece, process] : processes_of(outcomes(all))) different.insert(process);
    return different.size();
  };
  EXPECT_EQ(count(), 40U);
  all.shift = netmodels::Seconds{60};
  EXPECT_EQ(count(), 2U);  // the first piece alone, whose time is unknown
  all.shift = netmodels::Seconds{0};
  EXPECT_EQ(count(), 40U);
}

TEST(ProcessPool, ACrashLosesThePieceUnderWayAndOthersDoTheRestOfItsBatch) {
  PooledWork all;
  all.pieces = pieces_below(30);
  all.shift = netmodels::Seconds{60};
  all.timeout = netmodels::Seconds{1.5};
  all.work = [](std::size_t piece) -> std::string {
    if (piece == 5) (void)std::raise(SIGKILL);
    if (piece == 9) _exit(0);
    if (piece == 12) throw std::runtime_error("no such thing");
    if (piece == 20) std::this_thread::sleep_for(std::chrono::minutes(10));
    return "fine";
  };
  const auto found = outcomes(all);
  ASSERT_EQ(found.size(), 30U);
  EXPECT_EQ(found.at(5).failure, "killed by signal 9 (Killed)");
  EXPECT_EQ(found.at(9).failure, "ended with exit code 0");
  EXPECT_EQ(found.at(12).failure, "no such thing");
  EXPECT_EQ(found.at(20).failure, "took too long and was killed");
  EXPECT_EQ(std::ranges::count_if(found, [](const auto& one) { return one.second.text == "fine"; }), 26);
}

TEST(ProcessPool, AProcessWithAModuleEndsWithItsPiece) {
  PooledWork all;
  all.pieces = pieces_below(6);
  all.shift = netmodels::Seconds{60};
  all.work = [](std::size_t piece) {
    if (piece == 3) (void)files::open_module_entry("gradsim_pagmo");
    return std::to_string(getpid());
  };
  const auto process = processes_of(outcomes(all));
  EXPECT_EQ(process.at(1), process.at(3));
  EXPECT_NE(process.at(3), process.at(4));
  EXPECT_NE(process.at(4), process.at(5));
}

/// The first number that comes through a pipe.
pid_t number_from(int pipe) {
  std::array<char, 32> text{};
  const ssize_t got = read(pipe, text.data(), text.size() - 1);
  return got > 0 ? static_cast<pid_t>(std::stol(text.data())) : 0;
}

TEST(ProcessPool, WorkDiesWithTheProcessThatWaitsForIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t pool = fork();
  if (pool == 0) {
    PooledWork all;
    all.pieces = {0};
    all.work = [&](std::size_t) -> std::string {
      const std::string own = std::to_string(getpid());
      (void)!write(ends[1], own.data(), own.size());
      std::this_thread::sleep_for(std::chrono::seconds(60));
      return "";
    };
    all.done = [](std::size_t, WorkOutcome) {};
    (void)run_in_processes(all);
    _exit(0);
  }
  const pid_t worker = number_from(ends[0]);
  ASSERT_GT(worker, 0);
  kill(pool, SIGKILL);
  waitpid(pool, nullptr, 0);
  close(ends[1]);
  // The worker held the other end of the pipe, too: nothing comes and nothing stays open once it is gone.
  EXPECT_EQ(number_from(ends[0]), 0);
  close(ends[0]);
}

TEST(ProcessPool, WhatTakesTooLongIsKilled) {
  PooledWork all;
  all.pieces = pieces_below(2);
  all.jobs = 2;
  all.timeout = netmodels::Seconds{0.3};
  all.work = [](std::size_t piece) {
    if (piece == 0) std::this_thread::sleep_for(std::chrono::minutes(10));
    return std::string("fine");
  };
  const auto found = outcomes(all);
  EXPECT_EQ(found.at(0).failure, "took too long and was killed");
  EXPECT_EQ(found.at(1).text, "fine");
  EXPECT_LT(found.at(0).duration.count, 60);
}

TEST(ProcessPool, AnInterruptionBeginsNothingMore) {
  std::atomic<bool> stop = false;
  PooledWork all;
  all.pieces = pieces_below(100);
  all.stop = &stop;
  all.work = [](std::size_t) { return std::string("fine"); };
  int ended = 0;
  all.done = [&](std::size_t, const WorkOutcome&) { stop = ++ended == 3; };
  EXPECT_EQ(run_in_processes(all), 3U);
}

}  // namespace
}  // namespace sim::sweep
