// Tests of pieces of work on several threads, and of a learner that computes in them.
#include "learning/learners/threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "tests/learning/learners/phenomena.hpp"

namespace learning::learners {
namespace {

TEST(Lanes, TakeEachPieceOnce) {
  std::vector<std::atomic<int>> taken(1000);
  std::atomic<bool> outside = false;
  run_in_lanes(taken.size(), 4, [&](std::size_t piece, std::size_t lane) {
    ++taken[piece];
    if (lane >= 4) outside = true;
  });
  for (const std::atomic<int>& count : taken) EXPECT_EQ(count, 1);
  EXPECT_FALSE(outside);
}

/// Each of three pieces waits for the other two, so that one thread could not end.
TEST(Lanes, RunAtTheSameTime) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::thread::id> threads;
  run_in_lanes(3, 3, [&](std::size_t, std::size_t) {
    std::unique_lock lock(mutex);
    threads.push_back(std::this_thread::get_id());
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return threads.size() == 3; });
  });
  EXPECT_NE(threads[0], threads[1]);
  EXPECT_NE(threads[1], threads[2]);
}

TEST(Lanes, OfOneAreTheCallersThread) {
  std::vector<std::size_t> order;
  run_in_lanes(3, 1, [&](std::size_t piece, std::size_t lane) {
    EXPECT_EQ(lane, 0U);
    order.push_back(piece);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Lanes, PassOnWhatAPieceThrowsAndBeginNoMore) {
  for (const std::size_t lanes : {1U, 3U}) {
    std::atomic<int> others = 0;
    try {
      run_in_lanes(20, lanes, [&](std::size_t piece, std::size_t) {
        if (piece == 7) throw std::runtime_error("seven");
        ++others;
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::string("seven"));
    }
    if (lanes == 1) {
      EXPECT_EQ(others, 7);
    }
  }
}

TEST(Lanes, LeaveSignalsToTheCallersThread) {
  std::atomic<int> blocked = 0;
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  run_in_lanes(2, 2, [&](std::size_t, std::size_t lane) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (lane == 1 && sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1) ++blocked;
    if (lane == 0 && sigismember(&mask, SIGINT) == 0) ++blocked;
    std::unique_lock lock(mutex);
    ++arrived;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return arrived == 2; });
  });
  EXPECT_EQ(blocked, 2);
}

/// Every value that a training shows: losses, norms, a test, and the last model of each worker.
std::vector<double> course(std::size_t threads, int accumulation) {
  LiveTraining training;
  training.dataset = testing::optdigits();
  training.model = models::make("resnet_8_bn", {training.dataset->kind, training.dataset->shape, 10}).value();
  training.stated.optimizer.learning_rate = 0.05;
  training.stated.test_samples = 600;
  training.job.workers = 3;
  training.job.seed = 5;
  training.job.accumulation = accumulation;
  training.job.threads = threads;
  const auto learner = LiveLearner::make(training).value();
  std::vector<double> values;
  for (int step = 0; step < 4; ++step) {
    const std::vector<Share> shares{{0, 48}, {1, 20}, {2, 36}};
    const Gradients found = learner->compute(shares);
    values.push_back(found.loss.value());
    values.insert(values.end(), found.squared_norms.begin(), found.squared_norms.end());
    learner->update({.exchange = step % 2 == 0 ? Exchange::nothing : Exchange::parameters,
                     .compression = {.method = step == 3 ? "topk" : "none", .ratio = 0.1}});
  }
  values.push_back(learner->evaluate()->loss.value());
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    const auto model = learner->parameters(worker);
    values.insert(values.end(), model.begin(), model.end());
  }
  return values;
}

TEST(LiveLearner, TrainsToTheSameBitsInAnyNumberOfThreads) {
  const std::vector<double> alone = course(1, 1);
  EXPECT_EQ(course(2, 1), alone);
  EXPECT_EQ(course(5, 1), alone);  // more threads than workers
  EXPECT_EQ(course(3, 2), course(1, 2));
}

}  // namespace
}  // namespace learning::learners
