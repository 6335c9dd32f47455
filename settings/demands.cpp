// What is known of each capability.
#include "settings/demands.hpp"

#include <array>
#include <cassert>

namespace settings {
namespace {

using enum Capability;

constexpr std::array capability_rows{
    CapabilityRow{common_step, "common_step", "workers that wait for each other",
                  "lets each go at its own pace"},
    CapabilityRow{gradients_every_step, "gradients_every_step", "gradients that are exchanged in every step",
                  "does not exchange them in every step"},
    CapabilityRow{gradient_exchange, "gradient_exchange", "an exchange of gradients alone",
                  "exchanges models"},
    CapabilityRow{model_exchange, "model_exchange", "workers that always exchange models", "does not", true},
    CapabilityRow{collectives, "collectives", "collectives", "uses none"},
    CapabilityRow{common_model, "common_model", "a model that all workers have after an exchange",
                  "leaves each its own"},
    CapabilityRow{mean_model, "mean_model", "a mean of the workers' models", "has none"},
    CapabilityRow{worker_model, "worker_model", "models of single workers", "tests another model"},
    CapabilityRow{second_round, "second_round", "two rounds among the workers", "has one"},
    CapabilityRow{steps_to_leave_after, "steps_to_leave_after", "steps after which a worker can leave",
                  "has none"},
    CapabilityRow{same_workers, "same_workers", "the same workers during the whole run",
                  "lets workers leave"},
    CapabilityRow{no_failures, "no_failures", "a run without failures", "states some"},
    CapabilityRow{no_lost_workers, "no_lost_workers", "workers that do not fail", "lets one fail"},
    CapabilityRow{still_network, "still_network", "a network that stays as it is", "changes it"},
    CapabilityRow{measured_links, "measured_links", "the links that were measured", "changes them"},
    CapabilityRow{whole_collectives, "whole_collectives", "collectives among all workers",
                  "runs some inside nodes"},
    CapabilityRow{worker_links, "worker_links", "links of single workers", "has none"},
    CapabilityRow{shared_hosts, "shared_hosts", "hosts that several workers share", "has one worker on each"},
    CapabilityRow{one_switch, "one_switch", "one switch between all hosts", "is another network"},
    CapabilityRow{one_worker_per_host, "one_worker_per_host", "one worker on each host",
                  "puts several on one"},
    CapabilityRow{server_links, "server_links", "a link to a server",
                  "connects workers with each other alone"},
    CapabilityRow{even_links, "even_links", "links that are equal in both directions", "makes them unequal"},
    CapabilityRow{nccl_hardware, "nccl_hardware", "a description of the hardware", "does not", true},
    CapabilityRow{speeds_by_cores, "speeds by cores", "speeds that follow from cores", "states them"},
    CapabilityRow{uniform_batch, "uniform_batch", "one batch size for all workers",
                  "may give them different ones"},
    CapabilityRow{known_batch_effect, "known_batch_effect", "a learner that knows the effect of any batch",
                  "knows that of the recorded ones"},
    CapabilityRow{streams, "streams", "a stream for each worker", "has none", true},
    CapabilityRow{whole_batches, "whole_batches", "exchanges of whole batches", "times them by cycles"},
    CapabilityRow{collective_choice, "collective choice", "a collective that is chosen", "is fixed", true},
    CapabilityRow{open_collectives, "open collectives", "collectives that are not named", "names them"},
    CapabilityRow{dense_gradients, "dense gradients", "gradients that are sent as they are",
                  "sends something else"},
    CapabilityRow{compressed, "compressed", "a compressed exchange", "does not compress", true},
    CapabilityRow{recoded_sum, "recoded_sum", "a method whose sums are coded again", "sends others", true},
    CapabilityRow{sparse, "sparse", "a method that sends a share of the values", "sends all", true},
    CapabilityRow{stated_ratio, "stated_ratio", "a stated ratio", "chooses the ratio itself"},
    CapabilityRow{stated_method, "stated_method", "a stated method", "chooses the method itself"},
    CapabilityRow{one_compression, "one_compression", "the same compression in every step",
                  "may change it in each step"},
    CapabilityRow{stated_warm_up, "stated_warm_up", "a warm-up of stated length",
                  "decides itself when whole gradients are exchanged"},
    CapabilityRow{dense_warm_up, "dense_warm_up", "a dense warm-up", "has none", true},
    CapabilityRow{residual, "residual", "a residual of what was not sent", "keeps none"},
    CapabilityRow{whole_residual, "whole_residual", "a residual that does not decay", "lets it decay"},
    CapabilityRow{plain_gradients, "plain_gradients", "gradients as they were computed",
                  "changes what is sent"},
    CapabilityRow{gradients, "gradients", "gradients", "computes none", true},
    CapabilityRow{losses, "losses", "losses", "computes none", true},
    CapabilityRow{learning_rate, "learning_rate", "the learning rate of each step", "has none", true},
    CapabilityRow{live_models, "live_models", "the models of the workers", "has none", true},
    CapabilityRow{trained_effects, "trained_effects", "a learner that trains, or none",
                  "replays or predicts"},
    CapabilityRow{rounding_effects, "rounding effects", "a learner that knows what rounding does, or none",
                  "does not"},
    CapabilityRow{momentum_steps, "momentum_steps", "steps that exchange momenta", "has none", true},
    CapabilityRow{momentum_optimizer, "momentum_optimizer", "an optimizer that accumulates momenta",
                  "accumulates none"},
    CapabilityRow{whole_states, "whole_states", "whole states on each worker", "shares them among workers"},
    CapabilityRow{gradient_buckets, "gradient_buckets", "gradients in buckets", "exchanges blocks"},
    CapabilityRow{free_collective, "free_collective", "a collective that can be chosen", "has its own"},
    CapabilityRow{free_sending, "free sending", "sharding that leaves open what is compressed",
                  "states it itself"},
    CapabilityRow{kept_parameters, "kept parameters", "parameters that each worker keeps", "keeps none",
                  true},
    CapabilityRow{gathered_parameters, "gathered parameters", "parameters that are gathered", "gathers none",
                  true},
    CapabilityRow{second_gathers, "second gathers", "parameters that are gathered again from all workers",
                  "does not", true},
    CapabilityRow{sums_among_all, "sums among all", "sums of gradients among all workers",
                  "sums inside nodes first", true},
    CapabilityRow{node_copies, "node_copies", "copies of the states in several nodes", "keeps one", true},
    CapabilityRow{one_gpu_workers, "one_gpu_workers", "workers of one GPU each", "makes them of several"},
    CapabilityRow{one_level, "one_level", "all workers in one group", "makes each node a site"},
    CapabilityRow{composed_step, "composed_step", "a step that is composed of layers",
                  "runs as it was traced"},
    CapabilityRow{some_collectives, "some collectives", "", "", true},
    CapabilityRow{bucketed_gradients, "bucketed gradients", "", "", true},
    CapabilityRow{gathers, "gathers", "", "", true},
    CapabilityRow{root_unit, "root unit", "", "", true},
    CapabilityRow{gradient_shards, "gradient shards", "", "", true},
    CapabilityRow{tensor_groups, "tensor groups", "", "", true},
    CapabilityRow{shared_states, "shared states", "", "", true},
    CapabilityRow{counted_states, "counted states", "", "", true},
    CapabilityRow{model_buffers, "model buffers", "", "", true},
    CapabilityRow{flow_cap, "flow cap", "", "", true},
    CapabilityRow{placement_cap, "placement cap", "", "", true},
    CapabilityRow{stated_cores, "stated cores", "", "", true},
    CapabilityRow{measured_tables, "measured tables", "", "", true},
    CapabilityRow{stated_failures, "stated failures", "", "", true},
    CapabilityRow{unequal_batches, "unequal batches", "", "", true},
    CapabilityRow{counted_epochs, "counted epochs", "", "", true},
    CapabilityRow{compressing, "compressing", "", "", true},
    CapabilityRow{selected_worker, "selected worker", "", "", true},
    CapabilityRow{coefficient_tiles, "coefficient tiles", "", "", true},
    CapabilityRow{warm_up_length, "warm up length", "", "", true},
    CapabilityRow{unsent_values, "unsent values", "", "", true},
    CapabilityRow{overlapping, "overlapping", "", "", true},
    CapabilityRow{library_choice, "library choice", "", "", true},
    CapabilityRow{carried_choice, "carried choice", "", "", true},
    CapabilityRow{collective_choices, "collective choices", "", "", true},
    CapabilityRow{chunked, "chunked", "", "", true},
};

static_assert(capability_rows.size() == static_cast<std::size_t>(Capability::count));

}  // namespace

std::span<const CapabilityRow> capabilities() { return capability_rows; }

const CapabilityRow& facts_of(Capability capability) {
  const CapabilityRow& row = capability_rows.at(static_cast<std::size_t>(capability));
  assert(row.capability == capability);
  return row;
}

}  // namespace settings
