// The source of gradients and accuracy: real training, the replay of a record, or a fitted model.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/method.hpp"
#include "netmodels/result.hpp"
#include "policies/decoupled_diloco.hpp"
#include "policies/outer_optimizer.hpp"
#include "policies/relative_change.hpp"

namespace learning::learners {

struct Record;

/// One worker's part in a step.
struct Share {
  std::uint32_t worker = 0;  ///< from 0
  int samples = 1;           ///< samples of its batch, at least 1
};

/// Statistics of the workers' gradients before the exchange. A real job can see all of it.
struct Gradients {
  std::optional<double> loss;                ///< mean over the samples of all shares; where it is known
  std::vector<double> squared_norms;         ///< ||g_w||^2, in the order of the shares
  std::optional<double> learning_rate = {};  ///< learning rate of this step; where it is known
  /// While the rate rises in a warm-up, the one at its end, for a batch of this step's size; else that of
  /// this step; where it is known.
  std::optional<double> warmed_up_rate = {};
  /// Change of these workers' gradients, where it was recorded.
  std::optional<policies::MeasuredChange> measured_change = {};
};

/// Message in place of a gradient, or of the change of a model since all had the same one.
struct Compression {
  kernels::Method method;           ///< a row of the table of compressors
  double ratio = 1;                 ///< kept / original, in (0, 1]
  bool error_feedback = true;       ///< the rest that is not sent is kept, where the method is meant for it
  bool variance_selection = false;  ///< ar_topk: the worker with the largest norm chooses the places, instead
                                    ///< of each in turn
  double residual_decay = 1;  ///< factor on the kept rest before it is added to what is sent next, in (0, 1]
  bool proportional_tiles = false;  ///< dct_topk: smaller tiles send fewer coefficients

  /// Whether something else than the gradient as it is is sent.
  [[nodiscard]] bool compresses() const { return method.compresses(); }
  bool operator==(const Compression&) const = default;
};

/// Values that the workers exchange at the end of a step.
enum class Exchange {
  nothing,     ///< each worker takes its own gradient: a local step
  gradients,   ///< all take the mean gradient
  parameters,  ///< each takes its own gradient, and their parameters are merged
};

/// Weights of the mean.
enum class Weights {
  by_batch,  ///< samples of the share / samples of all shares
  uniform,   ///< 1 / N
};

/// All take the mean of their parameters.
struct Mean {
  bool before_step = false;  ///< whether parameters are exchanged that the gradient has not changed yet
};

/// Each moves towards a centre, and the centre towards all of them; then each takes its own gradient:
///
///   x_w = x_w - rate (x_w - centre),   centre = centre + rate sum_w (x_w - centre),   all on the right are
///   old
///
/// Source: Zhang, Choromanska & LeCun, "Deep Learning with Elastic Averaging SGD", NIPS 2015, (3) and (4).
struct ElasticMean {
  double rate = 0;  ///< alpha, in (0, 1 / N]
};

/// Rule of an outer step.
struct OuterRule {
  double rate = 0.7;      ///< above 0
  double momentum = 0.9;  ///< in [0, 1)
  policies::OuterOptimizer optimizer = policies::OuterOptimizer::nesterov;
};

/// The mean change since the last merge is the gradient of an outer step, by default with Nesterov's
/// momentum (`policies::OuterOptimizer` has the others):
///
///   d = centre - mean x_w,   v = momentum v + d,   centre = centre - rate (d + momentum v),   x_w = centre
///
/// Eager: each worker has a centre c_w and a momentum v_w of its own, and takes its own change at once, those
/// of the others one merge late. With s_w(t) = weight_w (c_w - x_w) at merge t, or what was sent of it,
/// and nothing before the first:
///
///   d_w = s_w(t) + sum over u != w of s_u(t - 1),   v_w = momentum v_w + d_w,
///   c_w = c_w - rate (d_w + momentum v_w),   x_w = c_w
///
/// Source: Douillard et al., "DiLoCo: Distributed Low-Communication Training of Language Models", 2023,
///         Algorithm 1; Kale, Douillard & Donchev, "Eager Updates For Overlapped Communication and
///         Computation in DiLoCo", arXiv:2502.12996, 2025.
struct OuterStep {
  double rate = 0.7;      ///< above 0
  double momentum = 0.9;  ///< in [0, 1)
  std::int64_t fragment =
      0;  ///< one of `fragments` of equally many values, from 0: only its values are merged
  std::int64_t fragments = 1;  ///< at least 1
  std::int64_t delay = 0;      ///< steps after which workers take what they then know of the centre
  double mixing = 0;           ///< share of its own values that each keeps then, in [0, 1)
  bool eager = false;          ///< whether whole models are merged eagerly, whatever the delay
  policies::OuterOptimizer optimizer = policies::OuterOptimizer::nesterov;

  [[nodiscard]] OuterRule rule() const { return {rate, momentum, optimizer}; }
};

/// One of equally large parts of a model.
struct Fragment {
  std::int64_t number = 0;  ///< from 0
  std::int64_t of = 1;      ///< at least 1
};

/// A message that reached the server.
struct Offered {
  std::uint32_t worker = 0;
  double weight = 1;  ///< above 0
};

/// A server makes an outer step of some workers' changes of a fragment: their weighted mean, or that of their
/// lengths and directions (`policies::Merging`), is the negative gradient.
struct Merge {
  Fragment fragment;
  std::vector<Offered> offers;  ///< at least one
  policies::Merging merging = policies::Merging::radial_directional;
  OuterRule rule;
};

/// All take the step of the mean of the momenta that their optimizers accumulated since the last such step
/// (`models::ZeroOneAdam`), from the parameters that all had last; then all optimizers are equal, too.
struct MomentumMean {};

/// How parameters are merged. The centre begins as all workers do.
using Meeting = std::variant<Mean, ElasticMean, OuterStep, MomentumMean>;

/// How the step ends.
struct Update {
  Exchange exchange = Exchange::gradients;
  /// Compression of gradients, or of each worker's change of its parameters since all had the same ones; an
  /// elastic centre takes parameters as they are.
  Compression compression = {};
  Weights weights = Weights::by_batch;
  Meeting meeting = {};  ///< rule of exchanging parameters
  /// Whether gradients are sent whole; what is kept of earlier messages then waits for a later one.
  bool dense = false;
};

/// The outcome. A real job can see it too.
struct Updated {
  std::optional<double> gain;  ///< sum ||g_c||^2 / sum ||g_e||^2 over the workers; where gradients are sent,
                               ///< or compressed changes
  std::optional<double> mean_squared_norm;  ///< ||mean of the messages||^2; where gradients are sent
  std::optional<double> noise_scale;  ///< tr(Sigma) / |G|^2 in samples, smoothed; once it can be estimated
};

/// How good the model is now.
struct Evaluation {
  std::optional<double> loss;  ///< mean cross-entropy on the test set, nats; where it is known
  double accuracy = 0;         ///< share of the test set, in [0, 1]
};

/// A training job seen from its gradients. Each step is `compute`, then `update`; time is none of its
/// business.
class Learner {
 public:
  virtual ~Learner() = default;

  /// One line for every output that shows a figure of this learner: "live: mlp_128 on optdigits, ...",
  /// "replay of FILE", "parametric model of FILE".
  [[nodiscard]] virtual std::string label() const = 0;

  /// Note about gradient norms for a policy that looks at them, as the end of `label`; empty where they
  /// are those of every step.
  [[nodiscard]] virtual std::string note_on_norms() const { return {}; }

  /// Whether it knows the effect of this compression on gradients; called before the first step.
  /// @returns an Error that names the method and what is missing
  [[nodiscard]] virtual netmodels::Result<void> check(const Compression& compression) const = 0;

  /// The gradients of these workers at their own parameters, on their next samples.
  /// @param shares  at least one; each worker at most once
  virtual Gradients compute(std::span<const Share> shares) = 0;

  /// ||x_w - r||^2 of the workers of the last `compute`, in the order of the shares, before the step's
  /// update: how far each model is from r, the one that all had last.
  /// @returns nothing where this learner cannot know it
  [[nodiscard]] virtual std::vector<double> squared_drifts() const { return {}; }

  /// The gain that a compression would have on the gradients of the last `compute`, sending nothing: what a
  /// policy sees when it tries one. Gradients are weighted by batch, as in an `Update` that says nothing
  /// else.
  /// @returns nothing where this learner cannot know it
  [[nodiscard]] virtual std::optional<double> gain(const Compression& compression) const = 0;

  /// Ends the step of the shares given to `compute`.
  virtual Updated update(const Update& update) = 0;

  /// @returns nothing where this learner cannot know it
  virtual std::optional<Evaluation> evaluate() = 0;

  /// Whether there is any step at which `evaluate` could know an accuracy.
  [[nodiscard]] virtual bool knows_accuracy() const { return true; }

  /// The record so far; null where none is kept.
  [[nodiscard]] virtual const Record* record() const { return nullptr; }

  /// An independent learner in the same state: a checkpoint.
  [[nodiscard]] virtual std::unique_ptr<Learner> copy() const = 0;

  /// A worker that was not among the shares for a while will be again: it takes the model that all had last,
  /// and optimizer and statistics of a worker of the last step; what it kept from its messages is forgotten.
  /// @param source  the worker whose model, optimizer and statistics it takes instead
  virtual void join(std::uint32_t worker, std::optional<std::uint32_t> source = {}) {
    static_cast<void>(worker), static_cast<void>(source);
  }

  /// A worker that was not among the shares for some rounds will be again: it takes the model that all had
  /// last, and keeps its optimizer, statistics and residuals.
  virtual void wake(std::uint32_t worker) { static_cast<void>(worker); }

  // --- a parameter server, for workers that do not wait for each other

  /// Whether `pull` and `push` are known.
  [[nodiscard]] virtual bool asynchronous() const { return false; }
  /// The worker takes the server's parameters.
  virtual void pull(std::uint32_t worker) {
    static_cast<void>(worker);
    assert(false && "this learner is not asynchronous");
  }
  /// The server takes the gradient that the worker computed last, scaled by `share` of the learning rate.
  /// @param worker  one of those in the last `compute`
  virtual void push(std::uint32_t worker, const Compression& compression, double share) {
    static_cast<void>(worker), static_cast<void>(compression), static_cast<void>(share);
    assert(false && "this learner is not asynchronous");
  }

  // --- a server that merges models, for workers at their own pace; known where `pull` and `push` are

  /// The worker takes a step of its own with the gradient that it computed last.
  /// @param worker  one of those in the last `compute`
  virtual void step_alone(std::uint32_t worker) {
    static_cast<void>(worker);
    assert(false && "this learner is not asynchronous");
  }
  /// The worker sends its change of the fragment since the last merge of it.
  virtual void offer(std::uint32_t worker, const Fragment& fragment, const Compression& compression) {
    static_cast<void>(worker), static_cast<void>(fragment), static_cast<void>(compression);
    assert(false && "this learner is not asynchronous");
  }
  /// @returns the gain of compressed changes; nothing where none were
  virtual std::optional<double> merge(const Merge& merge) {
    static_cast<void>(merge);
    assert(false && "this learner is not asynchronous");
    return std::nullopt;
  }
  /// The server sends the worker what it has of the fragment.
  virtual void answer(std::uint32_t worker, const Fragment& fragment) {
    static_cast<void>(worker), static_cast<void>(fragment);
    assert(false && "this learner is not asynchronous");
  }
  /// The worker goes on with what was sent to it last of the fragment.
  /// @param mixing  share of its own values that it keeps, in [0, 1)
  virtual void receive(std::uint32_t worker, const Fragment& fragment, double mixing) {
    static_cast<void>(worker), static_cast<void>(fragment), static_cast<void>(mixing);
    assert(false && "this learner is not asynchronous");
  }
};

}  // namespace learning::learners
