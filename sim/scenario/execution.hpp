// The execution model of an arm: stated, or the default of what it sends.
#pragma once

#include <string>

#include "kernels/method.hpp"
#include "netmodels/execution.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// Why an execution model was chosen.
enum class ExecutionOrigin {
  stated,  ///< `exchange.execution`
  keys,    ///< `exchange.overlap`, `first_bucket` or `bucket`
  policy,  ///< a policy chooses what is sent, step by step
  method   ///< the compression method's row
};

/// When which part of the gradient is exchanged.
struct Execution {
  const netmodels::ExecutionModel* model = nullptr;
  netmodels::GradientParts parts;
  bool overlap = false;
  bool broadcasts_buffers = false;
  ExecutionOrigin origin = ExecutionOrigin::method;
};

/// The model, from the first of:
///
///   `exchange.execution`, unless it cannot send what the method makes;  or else
///   `overlap: false`: after_backward;  or else
///   `overlap: true` or a bucket size: ddp_hook where something compresses, ddp_overlap where nothing does;
///   or else after_backward where a policy chooses what is sent;  or else the model of the method's row.
///
/// `overlap`, `first_bucket`, `bucket` and `broadcast_buffers` replace the model's where they are stated.
/// Where the model has no buckets, a bucket size that is not stated is PyTorch's; where its buckets have one
/// size, either key states it.
/// @param method   a row of the wire formats
/// @param decides  whether a policy may send something else in each step
Execution execution_of(const Exchange& exchange, kernels::Method method, bool decides);

/// Execution of what is stated.
Execution execution_of(const Exchange& exchange, const Compression& compression);

/// Whether steps that exchange gradients begin with a broadcast of the model's buffers.
/// @param workers  that take part
bool broadcasts_buffers(const Execution& execution, const policies::SynchronisationChoice& method,
                        const netmodels::Workload& workload, int workers);

/// Whether gradients are exchanged in some steps, at least inside a site.
/// @param site  workers of each, at least 1
bool exchanges_gradients(const policies::SynchronisationChoice& method, int site);

/// "ddp_hook (buckets of 1 MiB, then 25 MiB, overlapping the backward pass), the default of `fp16`".
std::string describe_execution(const Work& work, const Cluster& cluster, const Exchange& exchange);
/// Of steps that send gradients by another method than the stated one, as dense warm-ups do.
std::string describe_execution(const Work& work, const Cluster& cluster, const Exchange& exchange,
                               kernels::Method method);

}  // namespace sim::scenario
