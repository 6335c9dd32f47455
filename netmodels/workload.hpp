// A model to train, as the simulator sees it: layers with sizes and times, and where the times come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/utilisation_range.hpp"

namespace netmodels {

/// Time that grows linearly with the number of samples: t = fixed + per_sample * batch.
struct LinearTime {
  Seconds fixed;
  Seconds per_sample;

  [[nodiscard]] constexpr Seconds at(double batch) const { return fixed + per_sample * batch; }
};

/// One layer, in the order of the forward pass. Layers without parameters have `parameters == 0`.
struct Layer {
  std::string name;
  std::string kind;             ///< conv, linear, batchnorm, relu, ...
  std::int64_t parameters = 0;  ///< trainable values, at least 0
  Flops forward_flops;          ///< per sample; a multiply-add counts as two
  Flops backward_flops;         ///< per sample
  Bytes activation;             ///< fp32 output of the layer, per sample
  LinearTime forward;
  LinearTime backward;
  std::uint32_t block = 0;  ///< transformer block, from 1; 0: before the first, or a model without blocks
  std::int64_t frozen = 0;  ///< values beside `parameters` that are not trained, at least 0

  /// All values, trained or not.
  [[nodiscard]] std::int64_t values() const { return parameters + frozen; }
};

/// How the times of a workload came about; every output that shows a time can say so.
enum class TimeOrigin {
  measured,     ///< each layer measured on the named device
  total,        ///< a published total, spread over the layers by their roofline time
  roofline,     ///< predicted from FLOPs and bytes on the named device; measured nowhere
  utilisation,  ///< FLOPs at the share of the device's peak that such models reach
};

/// "measured", "total spread over layers", "roofline", "utilisation of the peak".
std::string_view to_string(TimeOrigin origin);

/// Device memory that the passes of a model of equal blocks keep for each sample.
struct BlockMemory {
  std::int64_t blocks = 1;
  Bytes kept;     ///< bytes of each block, from its forward to its backward pass
  Bytes working;  ///< bytes of one block while it is computed again; 0: nothing is
  Bytes outside;  ///< bytes of the layers after the last block
};

/// Work that a sample of a language model is to the device.
struct TokenWork {
  double tokens = 1;       ///< tokens of a sample, above 0
  Flops work;              ///< both passes on one sample, without what is computed again
  FlopRate peak;           ///< peak of the device, in the arithmetic that the times are for
  Bytes hidden;            ///< the output of a block, for one sample
  std::int64_t heads = 0;  ///< heads of attention; 0: unknown
  std::optional<double> gradient_bytes = {};  ///< bytes that the stack's sharded steps send of a gradient
  double lost_per_doubling = 0;   ///< share of the passes lost at each doubling of the devices that wait
  double waited = 1;              ///< factor by which these have slowed the passes, at least 1
  double repeated_exchanges = 0;  ///< share of a forward pass's exchanges inside a replica that are repeated
  double input_products = 5;      ///< matrix products of a block that read the input of one of its two parts
};

/// A replica of a model on several devices, of which the workload is one.
struct ReplicaShare {
  std::uint32_t devices = 1;
  std::int64_t parameters = 0;  ///< parameters of the whole model that are trained
  LinearTime
      exchanges;      ///< per step, with other devices of the replica; part of the passes and of the host's
  LinearTime bubble;  ///< per step, without work; part of the host's time
  /// Values that a device of a pipeline's first stage holds more than one of the last stage, which computes
  /// the most: an embedding that no tensor group splits.
  std::int64_t first_holds_more = 0;
};

struct TracedStep;

/// A whole model on one device.
struct Workload {
  std::string name;
  std::string device;       ///< the device that the times belong to
  std::string device_file;  ///< file that describes the device, where the workload names one; else it is
                            ///< sought by name
  std::string provenance;   ///< one line: source of the figures
  std::vector<std::string> warnings = {};  ///< sentences about stated features that it lacks
  TimeOrigin origin = TimeOrigin::roofline;
  int reference_batch = 1;    ///< samples per worker at which the times were measured or published
  std::vector<Layer> layers;  ///< layers in forward order
  LinearTime host_overhead;   ///< per step, not hidden by work on the device: data loading, launches,
                              ///< unassigned kernels
  Seconds optimizer;          ///< per step, after the gradients are there
  /// State that is not trained, such as running means; sent where an execution model keeps it equal.
  Bytes buffers = {};
  std::optional<BlockMemory> memory = {};                  ///< nothing: unknown, as for models without blocks
  std::optional<TokenWork> token_work = {};                ///< nothing: unknown, as for layer tables
  std::optional<ReplicaShare> replica = {};                ///< nothing: the whole model is on one device
  std::optional<UtilisationRange> utilisation_range = {};  ///< nothing: unknown, as of measured times
  /// Equal parts of a step's batch that run one after another, at least 1; see `accumulate`.
  std::uint32_t micro_batches = 1;
  /// The step as a trace has it, for batches of `reference_batch`; null: it is built from the layers. With
  /// it, there is one layer, whose times are those of the step when exchanges take none.
  std::shared_ptr<const TracedStep> traced = {};
  std::uint32_t sharers = 1;  ///< workers that compute the samples of one batch together; of traced steps

  /// Number of trained parameters.
  [[nodiscard]] std::int64_t parameters() const;
  /// Values that are held, and not trained.
  [[nodiscard]] std::int64_t frozen() const;
  [[nodiscard]] Seconds forward(double batch) const;
  [[nodiscard]] Seconds backward(double batch) const;
  /// Cuts each step into this number of micro-batches, whose gradients are added up before they are
  /// exchanged. From now on times are of all of them: what does not grow with the batch is spent in each.
  /// @param count  at least 1; of a workload that has one
  void accumulate(std::uint32_t count);
  /// One step of one worker that exchanges nothing: host overhead + forward + backward + optimizer.
  [[nodiscard]] Seconds compute(double batch) const;
};

/// The buffers that follow from the layers' kinds: batch normalisation keeps a running mean and a running
/// variance of 4 bytes for each channel and a counter of 8 bytes, where its parameters are two for each
/// channel. Leaves out: buffers of other layers (masks, tables of positions), whose sizes a layer table does
/// not have. Source: PyTorch torch/nn/modules/batchnorm.py (`running_mean`, `running_var`,
/// `num_batches_tracked`).
Bytes known_buffers(std::span<const Layer> layers);

}  // namespace netmodels
