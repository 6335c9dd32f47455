// Optimizers that exchange momenta, really trained: against loops by hand over whole vectors.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "tests/learning/learners/by_hand.hpp"

namespace learning::learners {
namespace {

using testing::ByHand;
using testing::equal;
using testing::made;
using testing::near;
using testing::parameters;
using testing::step;
using testing::training_for;
using testing::Vector;

/// The mean magnitude with the sign of each value, and what it lacks of it.
Vector signs_of(Vector& kept, const Vector& given) {
  double sum = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] += given[i];
    sum += std::abs(static_cast<double>(kept[i]));
  }
  Vector sent(kept.size(), static_cast<float>(sum / static_cast<double>(kept.size())));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] < 0) sent[i] = -sent[i];
    kept[i] -= sent[i];
  }
  return sent;
}

// Three dense steps, then four with signs of momenta, coded again where they are summed.
TEST(LiveMomenta, OneBitAdamIsItsAlgorithmOnWholeVectors) {
  LiveTraining training = training_for(2);
  training.stated.optimizer = {models::optimizer("onebit_adam", models::OneBitAdam{}), 0.05};
  ByHand hand(training);
  const auto learner = made(training);
  Vector own = parameters(*learner), m(own.size()), v(own.size()), owners(own.size());
  std::vector<Vector> kept(2, Vector(own.size()));
  double power1 = 1, power2 = 1;
  for (int t = 0; t < 7; ++t) {
    const bool dense = t < 3;
    const std::vector<Vector> gradients{hand.gradient(own, hand.draw(0, 4)).first,
                                        hand.gradient(own, hand.draw(1, 4)).first};
    Vector sum(own.size());
    for (std::size_t worker = 0; worker < 2; ++worker) {
      Vector sent = gradients[worker];
      if (!dense) {
        for (std::size_t i = 0; i < own.size(); ++i) sent[i] = 0.9F * m[i] + 0.1F * gradients[worker][i];
        sent = signs_of(kept[worker], sent);
      }
      for (std::size_t i = 0; i < own.size(); ++i) sum[i] += 0.5F * sent[i];
    }
    if (!dense) sum = signs_of(owners, sum);
    power1 *= 0.9;
    if (dense) power2 *= 0.999;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (dense) v[i] = 0.999F * v[i] + 0.001F * sum[i] * sum[i];
      m[i] = dense ? 0.9F * m[i] + 0.1F * sum[i] : sum[i];
      const double root = std::sqrt(v[i] / (1 - power2)) + 1e-8;
      own[i] -= static_cast<float>(0.05 / (1 - power1) * m[i] / root);
    }
    const Compression compression{.method = dense ? "none" : "onebit_adam"};
    learner->compute(equal);
    const auto tried = learner->gain(compression);
    const Updated updated = learner->update({.compression = compression});
    EXPECT_THAT(parameters(*learner, 0), near(own)) << t;
    EXPECT_EQ(parameters(*learner, 1), parameters(*learner, 0));
    EXPECT_EQ(tried, updated.gain);
    own = parameters(*learner);
  }
}

TEST(LiveMomenta, OneBitLambSendsMomentaThatAllWorkersTake) {
  LiveTraining training = training_for(2);
  training.stated.optimizer = {models::optimizer("onebit_lamb", models::OneBitLamb{}), 0.05};
  const auto learner = made(training);
  const double before = *learner->evaluate()->loss;
  for (int t = 0; t < 40; ++t) {
    step(*learner, {{0, 3}, {1, 9}}, {.compression = {.method = t < 10 ? "none" : "onebit_adam"}});
    ASSERT_EQ(parameters(*learner, 1), parameters(*learner, 0)) << t;
  }
  EXPECT_LT(*learner->evaluate()->loss, before);
}

/// Two workers of 0/1 Adam, in double precision, by a loop over its algorithm.
struct ZeroOneByHand {
  using Doubles = std::vector<double>;

  explicit ZeroOneByHand(const Vector& start)
      : common(start.begin(), start.end()),
        own(2, common),
        m(2, Doubles(common.size())),
        v(common.size()),
        u(2, Doubles(common.size())) {
    forget();
  }

  /// Their errors are reset when the variance is frozen.
  void forget() {
    kept.assign(2, Vector(common.size()));
    owners.assign(common.size(), 0);
  }

  [[nodiscard]] double root(std::size_t i) const { return std::sqrt(v[i]) + 1e-8; }

  /// The mean of what both send, coded, and coded again where it is summed.
  Vector sent(const std::vector<Vector>& given) {
    Vector mean(common.size());
    for (std::size_t worker = 0; worker < 2; ++worker) {
      const Vector part = signs_of(kept[worker], given[worker]);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += 0.5F * part[i];
    }
    return signs_of(owners, mean);
  }

  void step_together(const std::vector<Vector>& gradients, bool dense) {
    Vector mean(common.size());
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (gradients[0][i] + gradients[1][i]) / 2;
    if (!dense) mean = sent(gradients);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      if (dense) v[i] = 0.999 * v[i] + 0.001 * mean[i] * mean[i];
      m[0][i] = m[1][i] = 0.9 * m[0][i] + 0.1 * mean[i];
      common[i] -= 0.05 * (m[0][i] / root(i) + 0.1 * common[i]);
    }
    own = {common, common};
  }

  void step_alone(const std::vector<Vector>& gradients) {
    for (std::size_t worker = 0; worker < 2; ++worker) {
      for (std::size_t i = 0; i < common.size(); ++i) {
        m[worker][i] = 0.9 * m[worker][i] + 0.1 * gradients[worker][i];
        const double change = 0.05 * (m[worker][i] / root(i) + 0.1 * own[worker][i]);
        own[worker][i] -= change;
        u[worker][i] -= change;
      }
    }
    rates += 0.05;
  }

  void exchange() {
    std::vector<Vector> given(2, Vector(common.size()));
    for (std::size_t worker = 0; worker < 2; ++worker)
      for (std::size_t i = 0; i < common.size(); ++i)
        given[worker][i] = static_cast<float>(u[worker][i] * root(i));
    const Vector arrived = sent(given);
    for (std::size_t i = 0; i < common.size(); ++i) {
      m[0][i] = m[1][i] = -arrived[i] / rates;
      common[i] += arrived[i] / root(i);
      u[0][i] = u[1][i] = 0;
    }
    own = {common, common};
    rates = 0;
  }

  [[nodiscard]] Vector parameters(std::size_t worker) const {
    return {own[worker].begin(), own[worker].end()};
  }

  Doubles common;
  std::vector<Doubles> own, m;
  Doubles v;
  std::vector<Doubles> u;
  double rates = 0;
  std::vector<Vector> kept;
  Vector owners;
};

// Whole gradients in steps 1, 2, 4, signs of them in 3 and 5; then momenta in every step, in every second,
// and in every fourth.
TEST(LiveMomenta, ZeroOneAdamIsItsAlgorithmOnWholeVectors) {
  LiveTraining training = training_for(2);
  training.stated.optimizer = {models::optimizer("zero_one_adam", models::ZeroOneAdam{.weight_decay = 0.1}),
                               0.05};
  ByHand data(training);
  const auto learner = made(training);
  ZeroOneByHand hand(parameters(*learner));
  bool frozen = false;
  for (const char kind : std::string("ddcdc"
                                     "mm"
                                     "lmlm"
                                     "lllmlllm")) {
    std::vector<Vector> gradients;
    for (std::uint32_t worker = 0; worker < 2; ++worker)
      gradients.push_back(data.gradient(hand.parameters(worker), data.draw(worker, 4)).first);
    const bool together = kind == 'd' || kind == 'c';
    if (!together && !std::exchange(frozen, true)) hand.forget();
    if (together) {
      hand.step_together(gradients, kind == 'd');
    } else {
      hand.step_alone(gradients);
      if (kind == 'm') hand.exchange();
    }
    Update update{.compression = {.method = kind == 'd' ? "none" : "onebit_adam"}, .dense = kind == 'd'};
    if (!together) update.exchange = kind == 'm' ? Exchange::parameters : Exchange::nothing;
    if (kind == 'm') update.meeting = MomentumMean{};
    const Updated updated = step(*learner, equal, update);
    EXPECT_EQ(updated.gain.has_value(), kind != 'l');
    for (std::uint32_t worker = 0; worker < 2; ++worker)
      EXPECT_THAT(parameters(*learner, worker),
                  ::testing::Pointwise(::testing::FloatNear(1e-6F), hand.parameters(worker)))
          << kind;
  }
}

TEST(LiveMomenta, ACopyOfZeroOneAdamGoesOnWithWhatItAccumulated) {
  LiveTraining training = training_for(2);
  training.stated.optimizer = {models::optimizer("zero_one_adam", models::ZeroOneAdam{}), 0.05};
  const auto learner = made(training);
  const Update local{.exchange = Exchange::nothing};
  const Update momenta{
      .exchange = Exchange::parameters, .compression = {.method = "onebit_adam"}, .meeting = MomentumMean{}};
  step(*learner, equal, {.dense = true});
  step(*learner, equal, local);
  const auto copy = learner->copy();
  for (const Update& update : {local, momenta, momenta}) {
    step(*learner, equal, update);
    copy->compute(equal);
    copy->update(update);
  }
  EXPECT_EQ(copy->evaluate()->loss, learner->evaluate()->loss);
  EXPECT_EQ(parameters(*learner, 0), parameters(*learner, 1));
}

TEST(LiveMomenta, AWorkerThatReturnsBetweenExchangesHasTakenNoStep) {
  LiveTraining training = training_for(3);
  training.stated.optimizer = {models::optimizer("zero_one_adam", models::ZeroOneAdam{}), 0.05};
  const auto learner = made(training);
  const std::vector<Share> all{{0, 4}, {1, 4}, {2, 4}};
  const Update momenta{
      .exchange = Exchange::parameters, .compression = {.method = "onebit_adam"}, .meeting = MomentumMean{}};
  step(*learner, all, {.dense = true});
  step(*learner, all, momenta);
  const Vector common = parameters(*learner, 0);
  step(*learner, equal, {.exchange = Exchange::nothing});
  EXPECT_NE(parameters(*learner, 0), common);
  learner->join(2);
  EXPECT_EQ(parameters(*learner, 2), common);
  step(*learner, all, momenta);
  EXPECT_NE(parameters(*learner, 0), common);
  for (const std::uint32_t worker : {1U, 2U})
    EXPECT_EQ(parameters(*learner, worker), parameters(*learner, 0));
}

}  // namespace
}  // namespace learning::learners
