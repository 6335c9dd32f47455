// What sharded steps send in another way than it is held: `parallelism.compress`, and `data: zero++`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "netmodels/shard_sending.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;
struct Compression;
struct Parallelism;

/// All that is stated together; names that are unknown or do not go together are left to `check_sending`.
netmodels::ShardSending sending_of(const Parallelism& stated);

/// The compressor whose times are taken for values of this form; empty: none of the table is alike.
std::string_view kernel_of(const netmodels::QuantizedForm& form);

/// "; parameters gathered in 8 bits, ..."; empty where all is sent as it is held.
std::string describe_sending(const netmodels::ShardSending& sending);

/// Refuses two that state the same part, clusters that they do not work on, and quantising that takes an
/// unknown time. Names are known.
/// @param device  of the workload, where a file describes it
netmodels::Result<void> check_sending(const Parallelism& stated, const Cluster& cluster,
                                      const Compression& compression,
                                      const std::optional<netmodels::Device>& device,
                                      const language::Value& tree);

}  // namespace sim::scenario
