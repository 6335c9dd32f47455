// Reads transports, key by key.
#include "sim/inputs/transport_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "netmodels/collective.hpp"
#include "netmodels/nccl/network_goodput.hpp"
#include "netmodels/nearest.hpp"
#include "settings/nccl_hardware.hpp"
#include "settings/type.hpp"
#include "sim/language/document.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace {

constexpr settings::Key share_key(std::string_view name, std::string_view doc, std::string_view example) {
  return {.name = name, .doc = doc, .bounds = settings::above_up_to(0, 1), .example = example, .share = true};
}

/// Whether the values that are there rise.
template <class T>
bool is_rising(const std::optional<T>& low, const std::optional<T>& high) {
  return !low || !high || *low <= *high;
}

}  // namespace

namespace netmodels {

using namespace settings;

void describe(Fields& fields, GoodputClass& keys) {
  fields.field({.name = "from",
                .doc = "Lowest line rate of one interface that the class is for; without it, any.",
                .bounds = above(0),
                .example = "5 Gbit/s"},
               keys.from);
  fields.field({.name = "to",
                .doc = "Highest line rate of one interface that the class is for; without it, any.",
                .bounds = above(0),
                .example = "10 Gbit/s"},
               keys.to);
  fields.field({.name = "one_worker",
                .doc = "Whether the class is only for nodes with one worker.",
                .fallback = "false"},
               keys.one_worker);
  fields.field(share_key("low", "Lowest share of the line rate that was reported.", "50 %"), keys.shares.low);
  fields.field(share_key("mid", "Usual share.", "90 %"), keys.shares.mid);
  fields.field(share_key("high", "Highest share that was reported.", "95 %"), keys.shares.high);
  fields.field(
      {.name = "node_cap",
       .doc = "What one node usually reaches whatever the line rate; bounds the low and the usual goodput.",
       .bounds = above(0),
       .example = "10 Gbit/s"},
      keys.node_cap);
  fields.field({.name = "source", .doc = "Who measured it, and where.", .example = "NVIDIA/nccl #209"},
               keys.source);
}

std::optional<Problem> problem_of(const GoodputClass& keys) {
  const auto& [low, mid, high] = keys.shares;
  if (low > mid || mid > high) {
    return Problem{
        {}, fmt::format("the shares {}, {}, {} do not rise", low, mid, high), "write low <= mid <= high"};
  }
  if (is_rising(keys.from, keys.to)) return std::nullopt;
  return Problem{"from", print(*keys.from) + " is above `to`, " + print(*keys.to), "write from <= to"};
}

}  // namespace netmodels

namespace sim::inputs {

using namespace settings;
using netmodels::GoodputClass;

// Kinds of fabrics.

namespace {

struct FabricRow {
  std::string_view title;
  bool joins_nodes;
  bool joins_workers;
};

constexpr FabricRow row_of(FabricKind kind) {
  switch (kind) {
    case FabricKind::ethernet: return {"Ethernet", true, false};
    case FabricKind::infiniband: return {"InfiniBand", true, false};
    case FabricKind::roce: return {"RoCE", true, false};
    case FabricKind::efa: return {"EFA", true, false};
    case FabricKind::slingshot: return {"Slingshot", true, false};
    case FabricKind::nvlink: return {"NVLink", true, true};
    case FabricKind::pcie: return {"PCIe", false, true};
  }
  return {};
}

}  // namespace

std::string_view title_of(FabricKind kind) { return row_of(kind).title; }
bool joins_nodes(FabricKind kind) { return row_of(kind).joins_nodes; }
bool joins_workers(FabricKind kind) { return row_of(kind).joins_workers; }

// Every key of a transport file.

namespace {

void describe_connections(Fields& fields, Transport& transport) {
  fields.field(
      {.name = "channels",
       .doc = "Channels of the library between two nodes. Flows to a peer: channels x threads x sockets.",
       .fallback = "1",
       .bounds = between(1, 64)},
      transport.channels);
  fields.field({.name = "socket_threads",
                .doc = "Threads that serve the sockets of a channel.",
                .fallback = "1",
                .bounds = between(1, 16)},
               transport.socket_threads);
  fields.field({.name = "sockets_per_thread",
                .doc = "Sockets that each of these threads serves.",
                .fallback = "1",
                .bounds = between(1, 64)},
               transport.sockets_per_thread);
  fields.field({.name = "flow_cap",
                .doc = "Limit of one flow, which the cloud enforces.",
                .bounds = above(0),
                .example = "5 Gbit/s"},
               transport.flow_cap);
  fields.field({.name = "placement_group_flow_cap",
                .doc = "The same between machines of one placement group.",
                .bounds = above(0),
                .example = "10 Gbit/s"},
               transport.placement_group_flow_cap);
  fields.field({.name = "process_cap",
                .doc = "What one process usually reaches; bounds the low and the usual goodput.",
                .bounds = above(0),
                .example = "8 Gbit/s"},
               transport.process_cap);
}

std::string rates_of(const GoodputClass& known) {
  using netmodels::print;
  if (!known.from && !known.to) return "any rate";
  if (!known.from) return "up to " + print(*known.to);
  if (!known.to) return "from " + print(*known.from);
  return *known.from == *known.to ? print(*known.to) : print(*known.from) + " to " + print(*known.to);
}

}  // namespace

void describe(Fields& fields, NcclGoodput& keys) {
  fields.field(
      {.name = "kind", .doc = "The network, as `cluster.nccl.network.kind` names it.", .example = "roce"},
      keys.kind);
  fields.field({.name = "gpu_direct",
                .doc = "Whether interfaces read and write GPU memory themselves.",
                .fallback = "true"},
               keys.gpu_direct);
}

void describe(Fields& fields, StepLatency& keys) {
  fields.field({.name = "mid",
                .doc = "Usual time of a dependent message besides its bytes.",
                .bounds = at_least(0),
                .example = "45 us"},
               keys.mid);
  fields.field({.name = "low", .doc = "Lowest that was reported.", .bounds = at_least(0), .example = "25 us"},
               keys.low);
  fields.field(
      {.name = "high", .doc = "Highest that was reported.", .bounds = at_least(0), .example = "60 us"},
      keys.high);
  fields.field({.name = "source", .doc = "Who measured it, and where.", .example = "NVIDIA/nccl #209"},
               keys.source);
}

std::optional<Problem> problem_of(const StepLatency& keys) {
  const std::optional mid = keys.mid;
  if (is_rising(keys.low, mid) && is_rising(mid, keys.high)) return std::nullopt;
  const netmodels::Seconds low = keys.low.value_or(keys.mid);
  const netmodels::Seconds high = keys.high.value_or(keys.mid);
  return Problem{
      {},
      fmt::format("the latencies {} to {} do not rise", netmodels::print(low), netmodels::print(high)),
      "write low <= mid <= high"};
}

void describe(Fields& fields, CpuCost& keys) {
  fields.field({.name = "rate", .doc = "Goodput.", .bounds = above(0), .example = "10 Gbit/s"}, keys.rate);
  fields.field({.name = "cores",
                .doc = "Processor cores that are busy at that rate.",
                .bounds = above(0),
                .example = "1"},
               keys.cores);
  fields.field({.name = "source",
                .doc = "Who measured it, and under which condition.",
                .example = "without segmentation offload"},
               keys.source);
}

void describe(Fields& fields, Transport& keys) {
  fields.field({.name = "name", .doc = "Name of the transport.", .example = "nccl_tcp"}, keys.name);
  fields.field(
      {.name = "provenance", .doc = "Source of the figures.", .example = "NCCL 2.29.7, net_socket.cc"},
      keys.provenance);
  fields.field({.name = "library",
                .doc = "The library whose collectives use it: `exchange.library` of scenarios that state "
                       "none. Without it, not known.",
                .example = "nccl"},
               keys.library);
  fields.field({.name = "fits", .doc = "Kinds of fabrics that it runs over.", .example = "[ethernet]"},
               keys.fits);
  fields.field(
      {.name = "goodput",
       .doc = "Share of the line rate that it delivers, by line rate; the first class that holds decides."},
      keys.goodput);
  fields.field({.name = "goodput_as",
                .doc = "Another transport that delivers the same shares, stated in place of `goodput`.",
                .example = "nccl_tcp"},
               keys.goodput_as);
  fields.field(
      {.name = "nccl_network",
       .doc =
           "The network whose shares NCCL delivers, stated in place of `goodput`: those that `cluster.nccl` "
           "counts with, too."},
      keys.nccl_network);
  describe_connections(fields, keys);
  fields.field({.name = "latency", .doc = "Latency of each dependent message; without it, unknown."},
               keys.latency);
  fields.field({.name = "cpu", .doc = "Processor time that it takes; without it, unknown."}, keys.cpu);
}

std::optional<Problem> problem_of(const Transport& keys) {
  const auto libraries = netmodels::libraries();
  if (keys.library && std::ranges::find(libraries, *keys.library) == libraries.end())
    return Problem{{},
                   "unknown `library`: `" + *keys.library + "`",
                   netmodels::accepted_names(*keys.library, libraries)};
  if (keys.fits.empty())
    return Problem{{}, "`fits` names no kind of fabric", "write for example `fits: [ethernet]`"};
  std::vector<std::string_view> stated;
  if (!keys.goodput.empty()) stated.emplace_back("goodput");
  if (keys.goodput_as) stated.emplace_back("goodput_as");
  if (keys.nccl_network) stated.emplace_back("nccl_network");
  if (stated.size() > 1)
    return Problem{{}, fmt::format("`{}` are given", fmt::join(stated, "` and `")), "keep one of them"};
  if (stated.empty())
    return Problem{{},
                   "`goodput` has no class",
                   "write for example `goodput: [{low: 80 %, mid: 90 %, high: 96 %, source: ...}]`"};
  return std::nullopt;
}

bool Transport::fits_kind(FabricKind kind) const { return std::ranges::find(fits, kind) != fits.end(); }

const GoodputClass* Transport::class_at(netmodels::Bandwidth rate, int workers_per_node) const {
  return netmodels::class_at(goodput, rate, workers_per_node);
}

std::string Transport::known_rates() const {
  std::string text;
  for (const GoodputClass& known : goodput) {
    if (!known.one_worker) text += (text.empty() ? "" : ", ") + rates_of(known);
  }
  return text;
}

// Transports of scenarios/transports.

namespace {

/// A transport as its file states it.
netmodels::Result<Transport> read_transport(const language::Value& value,
                                            const std::filesystem::path& data_dir) {
  GRADSIM_TRY(path, language::find_named(value, data_dir / "transports", "transport"));
  GRADSIM_TRY(document, language::read_document(*path));
  Transport transport;
  const language::Field field{document->root, "",
                              Key{.name = "transport", .doc = "a map of the transport's keys"}};
  if (const auto read = language::read_map(field, transport); !read) return tl::unexpected(read.error());
  if (transport.nccl_network) {
    const auto classes =
        netmodels::nccl::goodput_classes(transport.nccl_network->kind, transport.nccl_network->gpu_direct);
    transport.goodput.assign(classes.begin(), classes.end());
  }
  return transport;
}

}  // namespace

netmodels::Result<Transport> load_transport(const language::Value& value,
                                            const std::filesystem::path& data_dir) {
  GRADSIM_TRY(transport, read_transport(value, data_dir));
  if (!transport->goodput_as) return transport;
  GRADSIM_TRY(other,
              read_transport(language::Value::scalar(*transport->goodput_as, value.origin()), data_dir));
  if (other->goodput_as)
    return netmodels::refuse(
        "goodput_as", fmt::format("`{}` takes its goodput from `{}` itself", other->name, *other->goodput_as),
        fmt::format("write `goodput_as: {}`", *other->goodput_as));
  transport->goodput = std::move(other->goodput);
  return transport;
}

netmodels::Result<const Transport*> TransportFiles::load(const language::Value& value) {
  GRADSIM_TRY(path, language::find_named(value, data_dir_ / "transports", "transport"));
  const auto known = read_.find(*path);
  if (known != read_.end()) return &known->second;
  GRADSIM_TRY(transport, load_transport(value, data_dir_));
  return &read_.emplace(*path, std::move(*transport)).first->second;
}

std::vector<std::string> list_transports(const std::filesystem::path& data_dir) {
  return language::names_in(data_dir / "transports");
}

}  // namespace sim::inputs
