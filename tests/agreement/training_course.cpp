// Trains the live learner by one method, and writes its batches, first parameters, losses and last
// parameters.
//
//   agreement_course METHOD SEED FILE
//
// FILE: little-endian int32 steps, workers, batch, features, classes, parameters; then float32: the first
// parameters, inputs[steps][workers][batch][features], labels[steps][workers][batch], loss[steps] (mean over
// all workers' samples, before the step), exchanged[steps] (1: the workers exchanged), and the mean of the
// workers' last parameters.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "policies/selsync.hpp"
#include "tests/source_tree.hpp"

namespace {

using learning::learners::Exchange;
using learning::learners::LiveLearner;
using learning::learners::LiveTraining;
using learning::learners::Share;
using learning::learners::Update;

constexpr std::uint32_t workers = 4;
constexpr int batch = 16;

/// The same settings are written in agreement_test.py.
struct Method {
  std::string_view name;
  Update update;           ///< of a step that exchanges
  int every = 1;           ///< steps from one exchange to the next
  bool selective = false;  ///< SelSync decides instead
  bool adamw = false;      ///< instead of SGD with momentum 0.9
  double rate = 0.05;
  std::string_view model = "mlp_32";
  int steps = 120;
};

std::vector<Method> methods() {
  const Update averaged{.exchange = Exchange::parameters};
  return {
      {.name = "dense", .update = {}},
      {.name = "topk", .update = {.compression = {"topk", 0.05, true, false}}},
      {.name = "signsgd", .update = {.compression = {"signsgd", 1, false, false}}, .rate = 5e-4},
      {.name = "qsgd", .update = {.compression = {"qsgd", 1, false, false}}},
      {.name = "powersgd", .update = {.compression = {"powersgd", 0.12, true, false}}},
      {.name = "local", .update = averaged, .every = 4},
      {.name = "selsync", .update = averaged, .selective = true},
      {.name = "diloco",
       .update = {.exchange = Exchange::parameters, .meeting = learning::learners::OuterStep{0.7, 0.9}},
       .every = 5,
       .adamw = true,
       .rate = 2e-3},
      {.name = "resnet_gn", .update = {}, .model = "resnet_14_gn", .steps = 20},
  };
}

LiveTraining training_of(const Method& method, std::uint64_t seed) {
  using namespace learning;
  LiveTraining training;
  training.dataset = datasets::load({}, tests::source_dir() + "/scenarios").value();
  training.model =
      models::make(method.model, {training.dataset->kind, training.dataset->shape, training.dataset->classes})
          .value();
  training.stated.optimizer.method = method.adamw
                                         ? models::optimizer("adamw", models::AdamW{.weight_decay = 0.1})
                                         : models::optimizer("sgd", models::Sgd{.momentum = 0.9});
  training.stated.optimizer.learning_rate = method.rate;
  training.job.workers = workers;
  training.job.batch = batch;
  training.job.seed = seed;
  return training;
}

/// What is written, in this order.
struct Course {
  std::vector<float> first, inputs, labels, losses, exchanged, last;
};

/// The batches that the learner draws: its samplers are functions of shards, worker and seed.
void add_batches(const LiveTraining& training, int steps, Course& course) {
  using namespace learning;
  const auto shards = std::make_shared<const datasets::Shards>(
      datasets::deal(training.dataset->train, training.stated.shards, {workers, training.job.seed}).value());
  std::vector<datasets::Sampler> samplers;
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    samplers.emplace_back(shards, worker, training.job.seed);
  datasets::Batch drawn;
  drawn.features = training.dataset->train.features();
  for (int step = 0; step < steps; ++step) {
    for (datasets::Sampler& sampler : samplers) {
      for (int i = 0; i < batch; ++i) training.dataset->train.append_to(drawn, sampler.next());
    }
  }
  course.inputs = std::move(drawn.inputs);
  course.labels.assign(drawn.labels.begin(), drawn.labels.end());
}

Course train(const Method& method, std::uint64_t seed) {
  const LiveTraining training = training_of(method, seed);
  const auto learner = LiveLearner::make(training).value();
  Course course;
  course.first.assign(learner->parameters(0).begin(), learner->parameters(0).end());
  add_batches(training, method.steps, course);
  const std::vector<Share> shares{{0, batch}, {1, batch}, {2, batch}, {3, batch}};
  std::vector<std::uint32_t> all(workers);
  std::iota(all.begin(), all.end(), 0U);
  policies::SelSync selsync({.threshold = 0.04});
  for (int step = 0; step < method.steps; ++step) {
    const auto seen = learner->compute(shares);
    course.losses.push_back(static_cast<float>(seen.loss.value()));
    const bool asked = method.selective &&
                       selsync.decide({.step = step, .workers = all, .squared_norms = seen.squared_norms}) !=
                           policies::Synchronisation::stay_local;
    const bool exchanges = method.selective ? asked : (step + 1) % method.every == 0;
    learner->update(exchanges ? method.update : Update{.exchange = Exchange::nothing});
    course.exchanged.push_back(exchanges ? 1.0F : 0.0F);
  }
  course.last.resize(course.first.size());
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    for (std::size_t i = 0; i < course.last.size(); ++i)
      course.last[i] += learner->parameters(worker)[i] / static_cast<float>(workers);
  }
  return course;
}

template <class Values>
void write(std::ofstream& file, const Values& values) {
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(values[0])));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: agreement_course METHOD SEED FILE\n", stderr);
    return 2;
  }
  for (const Method& method : methods()) {
    if (method.name != arguments[1]) continue;
    const Course course = train(method, std::strtoull(arguments[2], nullptr, 10));
    std::ofstream file(arguments[3], std::ios::binary);
    const auto features =
        static_cast<std::int32_t>(course.inputs.size()) / (method.steps * static_cast<int>(workers) * batch);
    write(file, std::array<std::int32_t, 6>{method.steps, workers, batch, features, 10,
                                            static_cast<std::int32_t>(course.first.size())});
    for (const auto* part :
         {&course.first, &course.inputs, &course.labels, &course.losses, &course.exchanged, &course.last})
      write(file, *part);
    return file.good() ? 0 : 1;
  }
  std::fprintf(stderr, "unknown method `%s`\n", arguments[1]);
  return 2;
}
