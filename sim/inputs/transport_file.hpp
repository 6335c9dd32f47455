// Transports of scenarios/transports, and their keys: what each delivers of a network's line rate.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/goodput.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "sim/language/value.hpp"

namespace netmodels {

void describe(settings::Fields& fields, GoodputClass& value);
/// Refuses shares and rates that do not rise.
std::optional<settings::Problem> problem_of(const GoodputClass& value);

}  // namespace netmodels

namespace sim::inputs {

/// Kinds of networks between nodes, and inside one.
enum class FabricKind { ethernet, infiniband, roce, efa, slingshot, nvlink, pcie };

constexpr auto names_of(FabricKind) {
  return std::to_array<settings::Named<FabricKind>>({{"ethernet", FabricKind::ethernet},
                                                     {"infiniband", FabricKind::infiniband},
                                                     {"roce", FabricKind::roce},
                                                     {"efa", FabricKind::efa},
                                                     {"slingshot", FabricKind::slingshot},
                                                     {"nvlink", FabricKind::nvlink},
                                                     {"pcie", FabricKind::pcie}});
}

/// "Ethernet", "InfiniBand", for sentences.
std::string_view title_of(FabricKind kind);
/// Whether networks of this kind join nodes.
bool joins_nodes(FabricKind kind);
/// Whether networks of this kind join the workers of one node.
bool joins_workers(FabricKind kind);

/// A network whose goodput is known from NCCL (netmodels/nccl/network_goodput.hpp), as `cluster.nccl`
/// describes it.
struct NcclGoodput {
  netmodels::nccl::NetworkKind kind = netmodels::nccl::NetworkKind::infiniband;
  bool gpu_direct = true;
};

/// Time that one dependent message takes besides its bytes.
struct StepLatency {
  netmodels::Seconds mid;
  std::optional<netmodels::Seconds> low;
  std::optional<netmodels::Seconds> high;
  std::string source;
};

/// Processor cores that are busy at some rate.
struct CpuCost {
  netmodels::Bandwidth rate;
  double cores = 0;
  std::string source;
};

/// The contents of a transport file.
struct Transport {
  std::string name;
  std::string provenance;
  std::optional<std::string> library;  ///< library whose collectives use it; nothing: not known
  std::vector<FabricKind> fits;
  std::vector<netmodels::GoodputClass> goodput;  ///< the first that holds decides
  std::optional<std::string> goodput_as;         ///< another transport, whose classes are taken
  std::optional<NcclGoodput> nccl_network;       ///< network whose classes are taken
  int channels = 1;                              ///< connections to a peer: channels x threads x sockets
  int socket_threads = 1;
  int sockets_per_thread = 1;
  std::optional<netmodels::Bandwidth> flow_cap;
  std::optional<netmodels::Bandwidth> placement_group_flow_cap;
  std::optional<netmodels::Bandwidth> process_cap;
  std::optional<StepLatency> latency;  ///< nothing: not known
  std::vector<CpuCost> cpu;            ///< empty: not known

  [[nodiscard]] bool fits_kind(FabricKind kind) const;
  /// The class for a line rate of one interface; null where none is known.
  [[nodiscard]] const netmodels::GoodputClass* class_at(netmodels::Bandwidth rate,
                                                        int workers_per_node) const;
  /// "5 Gbit/s to 10 Gbit/s, 200 Gbit/s": the line rates at which its goodput is known.
  [[nodiscard]] std::string known_rates() const;
};

void describe(settings::Fields& fields, NcclGoodput& value);

void describe(settings::Fields& fields, StepLatency& value);
/// Refuses times that do not rise.
std::optional<settings::Problem> problem_of(const StepLatency& value);

void describe(settings::Fields& fields, CpuCost& value);

void describe(settings::Fields& fields, Transport& value);
/// Refuses a transport without fabrics, or with none or several of `goodput`, `goodput_as` and
/// `nccl_network`.
std::optional<settings::Problem> problem_of(const Transport& value);

/// @param value     the name of a file in `data_dir`/transports, or a path
/// @param data_dir  the folder `scenarios`
/// @returns the transport, or an Error with the place, the key and what is accepted
netmodels::Result<Transport> load_transport(const language::Value& value,
                                            const std::filesystem::path& data_dir);

/// Transports of one folder, each file read once.
class TransportFiles {
 public:
  /// @param data_dir  the folder `scenarios`
  explicit TransportFiles(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}

  /// As load_transport; the transport lives as long as this.
  netmodels::Result<const Transport*> load(const language::Value& value);

  [[nodiscard]] const std::filesystem::path& data_dir() const { return data_dir_; }

 private:
  std::filesystem::path data_dir_;
  std::map<std::filesystem::path, Transport> read_;
};

/// Names that `load_transport` accepts, sorted.
std::vector<std::string> list_transports(const std::filesystem::path& data_dir);

}  // namespace sim::inputs
