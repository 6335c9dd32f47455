// Every key under `cluster.nccl`, and whether NCCL's times hold for a cluster.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/nccl/hardware.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "sim/scenario/value.hpp"

namespace netmodels::nccl {

// The words of `cluster.nccl`.

constexpr auto names_of(Fabric) {
  return std::to_array<settings::Named<Fabric>>({{"none", Fabric::none},
                                                 {"switch", Fabric::all_to_all},
                                                 {"mesh", Fabric::mesh},
                                                 {"pairs", Fabric::pairs}});
}

constexpr auto names_of(Processor) {
  return std::to_array<settings::Named<Processor>>(
      {{"intel", Processor::intel}, {"amd", Processor::amd}, {"arm", Processor::arm}});
}

constexpr auto names_of(NetworkKind) {
  return std::to_array<settings::Named<NetworkKind>>({{"infiniband", NetworkKind::infiniband},
                                                      {"roce", NetworkKind::roce},
                                                      {"slingshot", NetworkKind::slingshot},
                                                      {"efa", NetworkKind::efa},
                                                      {"socket", NetworkKind::socket},
                                                      {"tcpx", NetworkKind::tcpx},
                                                      {"tcpxo", NetworkKind::tcpxo}});
}

constexpr auto names_of(NicPath) {
  return std::to_array<settings::Named<NicPath>>({{"PIX", NicPath::pix},
                                                  {"PXB", NicPath::pxb},
                                                  {"PXN", NicPath::pxn},
                                                  {"PHB", NicPath::phb},
                                                  {"SYS", NicPath::sys}});
}

constexpr auto names_of(TunerKind) {
  return std::to_array<settings::Named<TunerKind>>(
      {{"nccl", TunerKind::nccl}, {"plugin", TunerKind::plugin}});
}

constexpr auto names_of(Protocol) {
  return std::to_array<settings::Named<Protocol>>(
      {{"LL", Protocol::LL}, {"LL128", Protocol::LL128}, {"Simple", Protocol::simple}});
}

constexpr auto names_of(Algorithm) {
  return std::to_array<settings::Named<Algorithm>>({{"tree", Algorithm::tree},
                                                    {"ring", Algorithm::ring},
                                                    {"nvls", Algorithm::nvls},
                                                    {"nvls_tree", Algorithm::nvls_tree},
                                                    {"pat", Algorithm::pat}});
}

constexpr auto names_of(Operation) {
  return std::to_array<settings::Named<Operation>>({{"all_reduce", Operation::all_reduce},
                                                    {"all_gather", Operation::all_gather},
                                                    {"reduce_scatter", Operation::reduce_scatter},
                                                    {"broadcast", Operation::broadcast},
                                                    {"reduce", Operation::reduce},
                                                    {"alltoall", Operation::alltoall},
                                                    {"send_recv", Operation::send_recv}});
}

}  // namespace netmodels::nccl

namespace settings {

void describe(Fields& fields, netmodels::nccl::Gpu& gpu);
void describe(Fields& fields, netmodels::nccl::NvLink& nvlink);
void describe(Fields& fields, netmodels::nccl::Pcie& pcie);
void describe(Fields& fields, netmodels::nccl::Network& network);
void describe(Fields& fields, netmodels::nccl::Environment& environment);
void describe(Fields& fields, netmodels::nccl::MeasuredPoint& point);
void describe(Fields& fields, netmodels::nccl::Measured& measured);
void describe(Fields& fields, netmodels::nccl::Hardware& hardware);

}  // namespace settings

namespace sim::scenario {

struct Cluster;
struct Scenario;

/// Refuses a description that `netmodels::nccl::validate` refuses, alone or for the cluster's workers.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_nccl(const Scenario& scenario, const Value& tree);

/// Why NCCL's times do not hold for a cluster that describes its hardware: they are those of a quiet network
/// in which every node reaches every other at its full rate. Nothing where they hold.
std::optional<std::string_view> nccl_obstacle(const Cluster& cluster);

/// The description by which collectives are evaluated; null where there is none, or an obstacle.
const netmodels::nccl::Hardware* nccl_of(const Cluster& cluster);
/// The same where the evaluator of the scenario takes NCCL's times, and no other library runs collectives;
/// else null.
const netmodels::nccl::Hardware* nccl_of(const Scenario& scenario);

/// Warnings: a description that is not used, and a version whose constants were not read.
std::vector<std::string> nccl_doubts(const Scenario& scenario, const Value& tree);

/// The key `nccl` of a file of clusters.
/// @param name      a file, or a name in scenarios/clusters
/// @returns an Error also where the file has no such key
netmodels::Result<netmodels::nccl::Hardware> read_nccl(const std::string& name,
                                                       const std::filesystem::path& data_dir);

}  // namespace sim::scenario
