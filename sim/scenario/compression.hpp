// What is sent in place of the gradient, as a scenario states it: one method, or a policy that chooses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/quantity.hpp"

namespace sim::scenario {

enum class Selection { staleness, variance };

/// Who decides about method and ratio.
enum class CompressionPolicyName { fixed, gravac, accordion, accordion_per_step, scadles, flexible };

/// A measured time to compress and restore the whole gradient.
struct CompressionTime {
  std::string method;
  double ratio = 1;  ///< kept / original
  netmodels::Seconds time;

  bool operator==(const CompressionTime&) const = default;
};

enum class GravacScaling { exponential, geometric };

/// GraVAC's settings; compression factors are original / kept.
struct Gravac {
  double least_factor = 10;   ///< theta_min
  double most_factor = 1000;  ///< theta_max
  double gain = 0.7;          ///< epsilon
  double tolerance = 0.01;    ///< omega
  std::int64_t window = 500;  ///< steps
  GravacScaling scaling = GravacScaling::exponential;
  bool as_printed = false;  ///< Algorithm 1 to the letter where it and the text differ

  bool operator==(const Gravac&) const = default;
};

/// Accordion's settings.
struct Accordion {
  double low_ratio = 0.1;    ///< in critical phases
  double high_ratio = 0.01;  ///< otherwise
  double threshold = 0.5;    ///< relative change of the gradient's norm
  double every_epochs = 10;  ///< epochs from one look to the next

  bool operator==(const Accordion&) const = default;
};

/// Settings of Accordion step by step.
struct AccordionPerStep {
  double low_ratio = 0.1;    ///< while the gradient's norm changes fast
  double high_ratio = 0.01;  ///< otherwise
  double threshold = 0.2;    ///< relative change of the smoothed norm
  double smoothing = 0.05;   ///< weight of a new norm

  bool operator==(const AccordionPerStep&) const = default;
};

/// Settings of ScaDLES' rule.
struct Scadles {
  double threshold = 0.3;  ///< delta, on the share of ||g||^2 that compression loses

  bool operator==(const Scadles&) const = default;
};

enum class WarmUpShape { linear, exponential };

/// Epochs in which the ratio falls from 1 to the first that the policy wants.
struct CompressionWarmUp {
  double epochs = 0;  ///< 0: no warm-up
  WarmUpShape shape = WarmUpShape::exponential;

  bool operator==(const CompressionWarmUp&) const = default;
};

enum class FrontSolver { exact, nsga2 };
enum class GainTrigger { step, drift };
enum class RatioRule { knee, fastest };

/// Settings of the flexible policy: all-gathered top-k or AR-Topk, at a ratio from a Pareto front.
struct Flexible {
  std::vector<double> ratios;    ///< candidates, at least one
  std::int64_t steps_each = 10;  ///< of an exploration
  double gain_change = 0.1;      ///< relative, that calls for an exploration
  double network_change = 0.1;   ///< relative, that calls for a new choice
  double time_weight = 0.6;      ///< of time against gain, in the knee
  GainTrigger gain_trigger = GainTrigger::step;
  RatioRule choice = RatioRule::knee;
  FrontSolver solver = FrontSolver::exact;

  bool operator==(const Flexible&) const = default;
};

struct Compression {
  std::string method = "none";  ///< a row of the wire formats
  double ratio = 1;             ///< kept / original, in (0, 1]
  int index_bytes = 4;          ///< 4 or 8
  std::optional<netmodels::Seconds>
      time;  ///< to compress and restore the whole gradient; nothing: from the device
  Selection selection = Selection::staleness;
  CompressionPolicyName policy = CompressionPolicyName::fixed;
  std::vector<CompressionTime> times;  ///< of methods and ratios that a policy may choose
  std::string kernel_times;  ///< file of kernel costs as found, empty: none; the next two hold what it says
  std::string kernel_device;
  std::vector<netmodels::MeasuredKernel> kernels;
  CompressionWarmUp warm_up;
  Gravac gravac;
  Accordion accordion;
  AccordionPerStep accordion_per_step;
  Scadles scadles;
  Flexible flexible;
};

/// Whether what is sent may be another thing in each step.
inline bool decided_by_step(const Compression& compression) {
  return compression.policy != CompressionPolicyName::fixed || compression.warm_up.epochs > 0;
}

}  // namespace sim::scenario
