// The words and keys that describe hardware to the model of NCCL: `cluster.nccl`, and machines of published
// tables.
#pragma once

#include <array>

#include "netmodels/nccl/hardware.hpp"
#include "settings/fields.hpp"

namespace netmodels::nccl {

constexpr auto names_of(Library) {
  return std::to_array<settings::Named<Library>>({{"nccl", Library::nccl}});
}

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
