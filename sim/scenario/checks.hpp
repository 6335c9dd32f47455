// Values of several keys that do not fit each other. What cannot be combined:
// conflicts.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/planning.hpp"
#include "sim/scenario/policy_advice.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

// Conditions that join several keys of one arm: invalid combinations, and why.

/// @param tree what the scenario was read from, for the places of errors
/// @returns an Error for a cluster whose numbers do not fit together: workers per node, counts of speeds,
/// hosts that
///          the topology holds, workers that do not exist
netmodels::Result<void> check_cluster(const Cluster& cluster, const language::Value& tree);

/// Refuses a training whose length is not stated, or beyond what counters hold.
netmodels::Result<void> check_training(const Scenario& written, const language::Value& tree);

/// Refuses slow-downs of workers that do not exist.
netmodels::Result<void> check_slowdowns(const std::vector<Slowdown>& slowdowns, int workers,
                                        const language::Value& tree);

/// Refuses several seeds, and samples of uncertain inputs, where each arm is run once.
/// @param uncertainty  samples of uncertain inputs; nothing: none
/// @param what         "advice"
netmodels::Result<void> check_single_run(int seeds, const std::optional<Uncertainty>& uncertainty,
                                         const language::Value& tree, const std::string& what);

/// Warnings: keys that are not used here, rates that links cannot carry, speeds beside a library of
/// processors.
/// @param replicas  whether a replica is several GPUs, which may share nodes
/// @param library   of collectives; empty: none
std::vector<std::string> cluster_warnings(const Cluster& cluster, bool replicas, std::string_view library,
                                          const language::Value& tree);

/// Warnings: moments after the end of the training, and exchanges that it never reaches.
std::vector<std::string> length_warnings(const Scenario& arm, const std::vector<StatedMoment>& late,
                                         const language::Value& tree);

/// Warnings: compute times of another device than the cluster's, a utilisation outside of what was published,
/// and NVLink that a device does not have.
/// @param timed  device of the compute times, where a file describes it
/// @param own    that `cluster.device` names
std::vector<std::string> cluster_device_warnings(const std::optional<netmodels::Device>& timed,
                                                 const std::optional<inputs::DeviceKeys>& own,
                                                 const netmodels::Workload& workload, const Cluster& cluster,
                                                 const language::Value& tree);

// Conditions on learning and synchronisation.

/// The key that makes exchanges overlap later steps.
/// @param streaming  with a delay
inline std::string overlap_key(const policies::Streaming& streaming) {
  return streaming.eager ? "synchronisation.eager" : "synchronisation.delay";
}

/// Refuses batches that are not one per worker.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_batches(const std::vector<int>& batches, int workers,
                                      const language::Value& tree);

/// Refuses settings of a method that do not fit the number of workers, and more fragments than layers.
netmodels::Result<void> check_synchronisation(const policies::SynchronisationChoice& stated,
                                              const netmodels::Workload& workload, int workers,
                                              const language::Value& tree);

/// Refuses injection without a size, and a warm-up that outlasts the decay.
netmodels::Result<void> check_learner(const Learner& learner, const Training& training, int workers,
                                      const language::Value& tree);

/// Sentences on what is accepted and looks like a mistake.
std::vector<std::string> learner_warnings(const Learner& learner, const Training& training, int workers,
                                          const language::Value& tree);

// Conditions on batches, speeds and streams.

/// Refuses cores and speeds that are not one per worker, and changes in another form than the speeds.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_cores(const Cluster& cluster, const language::Value& tree);

/// Refuses limits of workers that do not exist, and batches that exceed the memory.
netmodels::Result<void> check_batch_limits(const std::vector<BatchLimits>& limits, const Training& training,
                                           int workers, const language::Value& tree);

/// Refuses a policy whose largest batch is below its smallest.
netmodels::Result<void> check_batching(const policies::BatchingChoice& batching, const language::Value& tree);

/// Refuses rates that are not one per worker, and changes out of order.
netmodels::Result<void> check_streams(const Streams& streams, int workers, const language::Value& tree);

// Conditions that join the arms of a study.

/// Refuses keys that nothing would read: what they use follows from other keys of the arm, and it has none. A
/// key that it shares with an arm that reads it, as both have it from the top of the file, is accepted, and
/// so are all where the command line chose what decides.
/// @param number    of the arm
/// @param features  of each arm
/// @param trees     what the arms were read from, for the places in messages
netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<std::vector<Feature>>& features,
                                     const std::vector<language::Value>& trees);

// Conditions on workers that leave and return.

/// Refuses workers that do not exist, and absences that overlap.
/// @param site  workers that leave together, at least 1
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_membership(const Cluster& cluster, int site, const language::Value& tree);

// Conditions on exchanges between sites.

/// Refuses sites of one worker or all of them.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_sites(const Parallelism& parallelism, const Cluster& cluster,
                                    const language::Value& tree);

// Conditions on compression and its policy.

/// Refuses a method with a ratio that states none, a width of indices, and duplicate times.
/// @param compression  its method is a row of the wire formats
/// @param tree         what the scenario was read from, for the places in messages
netmodels::Result<void> check_compression(const Compression& compression, const language::Value& tree);

/// Whether the ratio follows from a rank.
inline bool states_rank(const Compression& compression) {
  return compression.rank && compression.method == "powersgd";
}

/// Refuses a ratio beside a rank.
netmodels::Result<void> check_rank(const Compression& compression, const language::Value& tree);

/// The ratio that follows from a rank: values of both factors over those of the layers.
double ratio_of_rank(int rank, const netmodels::Workload& workload);

/// Refuses a level of compression times that the scenario's files do not have for its method.
/// @param compression  with the contents of those files
/// @param device       of the workload, where a file describes it
/// @param device_name  as the workload states it
netmodels::Result<void> check_cost(const Compression& compression,
                                   const std::optional<netmodels::Device>& device,
                                   const std::string& device_name, const language::Value& tree);

/// Warnings: a compressed gradient that is no smaller than the gradient, and a warm-up that outlasts the run.
std::vector<std::string> compression_warnings(const Scenario& arm, const language::Value& tree);

// Conditions on which collective carries what is sent.

/// Refuses unknown methods, collectives, execution models and ways of compressing shards.
/// @param method    of compression
/// @param compress  of `parallelism`
/// @param tree      what the scenario was read from, for the places in messages
netmodels::Result<void> check_names(const Exchange& exchange, const std::string& method,
                                    const std::vector<std::string>& compress, const language::Value& tree);

/// Refuses collectives that cannot carry what the method sends, unknown libraries, and all that
/// `check_compression` refuses.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_exchange(const Exchange& exchange, const Compression& compression,
                                       const language::Value& tree);

// Conditions on a step that runs as it was traced.

/// Refuses another batch than the traced one, groups within nodes of one worker, other groups that do not
/// hold all workers, messages without both ends, and replicas of which the workers are no multiple.
netmodels::Result<void> check_traced(const netmodels::Workload& workload, const Training& training,
                                     const Cluster& cluster, const language::Value& tree);

/// A sentence, with its place, on a message or a collective of groups that takes the rate of interfaces which
/// NCCL would leave to other workers of the node; nothing where all interfaces are used, or none are
/// described.
std::vector<std::string> sender_warnings(const netmodels::TracedStep& traced, const Cluster& cluster,
                                         const language::Value& tree);

// Conditions on measured times of collectives.

/// One sentence, with its place, for each kind of collective that the arm's gradients need and that was not
/// measured on as many ranks and nodes; nothing where a policy decides what is sent.
std::vector<std::string> measured_warnings(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                           Evaluator evaluator, const language::Value& tree);

// Invalid questions to a planner, and why.

/// @param tree  a map with the key `planning`, for positions
netmodels::Result<void> check_planning(const Planning& planning, const language::Value& tree);

/// The conditions on a scenario that is simulated at other sizes and batches.
/// @param tree  as above
netmodels::Result<void> check_played(const Planning& planning, const Study& study,
                                     const language::Value& tree);

// Validates `advice`, with reasons.

/// @param tree  of the file, with `advice`
netmodels::Result<void> check_policy_advice(const PolicyAdvice& advice, const language::Value& tree);

/// Whether so many of its steps represent a whole training.
/// @param base  the training that is asked about
netmodels::Result<void> check_advised(const PolicyAdvice& advice, const Work& work, const Cluster& cluster,
                                      const Learner& learner, const language::Value& tree);

/// Whether a candidate's first steps represent all, where no live learner trains.
/// @param steps  of the training; nothing: it is stated in epochs
/// @returns nothing, or an Error without a place
netmodels::Result<void> check_simulated_in_part(const policies::SynchronisationChoice& method,
                                                const Compression& compression, const Learner& learner,
                                                const std::optional<std::int64_t>& steps);

}  // namespace sim::scenario
