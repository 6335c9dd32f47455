// Defaults that were measured on the device of the workload, in place of the usual ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;
struct Compression;
struct Exchange;
struct Parallelism;
struct Scenario;
struct Work;

/// The device of a workload: the file that describes it where the workload names one, else its name.
const std::string& device_text(const netmodels::Workload& workload);

/// A file of compression times that a framework took on one device.
struct MeasuredStack {
  std::string name;    ///< of the file in `kernel_times`
  std::string device;  ///< as it states it
  std::vector<std::string> methods;
};

/// Files that state `measured: true` and a device that is the workload's: by the same name (apart from case,
/// spaces and punctuation) or by aliases of one device file. Those of the same name come first, then by name.
/// @param data_dir  the folder `scenarios`
/// @returns nothing where the workload states no device, or nothing was measured on it; an Error for a file
///          that cannot be read
netmodels::Result<std::vector<MeasuredStack>> find_measured_stacks(const netmodels::Workload& workload,
                                                                   const std::filesystem::path& data_dir);

/// Methods whose times an arm takes from its stack: that of `compression`, and those that code alike what
/// sharded steps send; none where nothing is compressed.
std::vector<std::string> methods_from_stack(const Compression& compression, const Parallelism& parallelism);

/// The stack that an arm takes where none is stated.
struct StackDefault {
  std::string name;
  std::string origin;  ///< why it is taken
  bool measured = true;
};

/// The first measured stack with all of the methods; where none has them and the usual stack does, the usual
/// one; else the first.
/// @param stacks  not empty
/// @param usual, published  name and contents of the usual stack, which may have no rows
StackDefault choose_stack(const std::vector<MeasuredStack>& stacks, const std::vector<std::string>& methods,
                          const std::string& usual, const netmodels::KernelCosts& published);

/// Whether a file of compression times was measured on the workload's device.
netmodels::Result<bool> is_measured_on_device(const netmodels::KernelCosts& costs,
                                              const netmodels::Workload& workload,
                                              const std::filesystem::path& data_dir);

/// That several files fit, and which one is taken.
std::optional<std::string> several_stacks_warning(const std::vector<MeasuredStack>& stacks,
                                                  const std::string& taken);

/// How much longer computing takes while a collective runs, and what that rests on.
struct OverlapDefault {
  double share = 0;    ///< as `exchange.overlap_slowdown`
  std::string origin;  ///< empty: nothing is known, and it counts as 0
  double most = 0;     ///< that it may be, from 0 on, where it is predicted; 0: it was measured
};

/// Where `exchange.overlap_slowdown` is not stated: as measured on the workload's device; else as
/// `netmodels::overlap_slowdown` predicts it where NCCL exchanges on described hardware, and computing was
/// timed alone; else 0. Nothing where no gradients are sent during the backward pass, and for traced steps,
/// which contain it.
/// @param elsewhere  of other files of the same device, where its own file states none
OverlapDefault default_overlap_slowdown(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                        const OverlapDefault& elsewhere = {});

/// What the first other device file states that has a name in common with the workload's device.
/// @param data_dir  the folder `scenarios`
/// @returns no origin where none does; an Error for a file that cannot be read
netmodels::Result<OverlapDefault> find_measured_overlap(const netmodels::Workload& workload,
                                                        const std::filesystem::path& data_dir);

/// Puts what arms take by default into a resolved scenario, so that it runs again to the same results, also
/// where the measurement is not there: the value where all arms that read a key take the same one; else, and
/// where it is predicted with a range, the key is left out.
/// @param trees  of the arms, as they were read
void write_measured_defaults(language::Value& resolved, const std::vector<Scenario>& arms,
                             const std::vector<language::Value>& trees);

/// What an arm takes by default, one line each; none where nothing was measured on its device.
std::vector<std::string> describe_measured_defaults(const Work& work, const Cluster& cluster,
                                                    const Exchange& exchange);

}  // namespace sim::scenario
