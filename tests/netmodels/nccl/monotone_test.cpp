// On random machines, times rise with size, with slower networks and with more nodes, while NCCL's choice
// stays.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "netmodels/nccl/time.hpp"

namespace netmodels::nccl {
namespace {

constexpr Operation operations[]{Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                 Operation::broadcast,  Operation::reduce,     Operation::alltoall,
                                 Operation::send_recv};
constexpr Algorithm algorithms[]{Algorithm::tree, Algorithm::ring, Algorithm::nvls, Algorithm::nvls_tree,
                                 Algorithm::pat};
constexpr Protocol protocols[]{Protocol::LL, Protocol::LL128, Protocol::simple};
constexpr double rounding = 1e-12;

struct RandomMachine {
  Hardware hardware;
  Group group;
};

/// Machines as users may describe them.
class Machines {
 public:
  RandomMachine draw() {
    RandomMachine machine;
    Hardware& hardware = machine.hardware;
    hardware.version = of({"2.18", "2.21", "2.26", "2.29"});
    hardware.gpu = {.compute_capability = of({60, 70, 80, 90, 100}), .per_node = of({1, 2, 4, 8})};
    if (hardware.gpu.per_node > 1 && of({true, false})) {
      hardware.nvlink = {.links = of({4, 6, 12, 18}), .fabric = of({Fabric::all_to_all, Fabric::pairs})};
      const bool sums = hardware.nvlink.fabric == Fabric::all_to_all && hardware.gpu.compute_capability >= 90;
      hardware.nvlink.multicast = sums && of({true, false});
    }
    hardware.pcie = {.generation = of({3, 4, 5}), .peer_to_peer = of({true, false})};
    hardware.cpu = of({Processor::intel, Processor::amd});
    const auto nodes = static_cast<std::uint32_t>(of({1, 2, 3, 4, 8, 16}));
    hardware.network = Network{
        .kind = of({NetworkKind::infiniband, NetworkKind::roce, NetworkKind::efa, NetworkKind::socket}),
        .nics_per_node = of({1, 2, 4, 8}),
        .rate = {of({1., 10., 25., 100., 200., 400.}) * 1e9 / 8}};
    hardware.network->gpu_direct = hardware.network->kind != NetworkKind::socket;
    machine.group = {.ranks = nodes * static_cast<std::uint32_t>(hardware.gpu.per_node), .nodes = nodes};
    return machine;
  }

 private:
  template <class T>
  T of(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }

  std::mt19937 random_{1};
};

std::optional<Model> model_on(const RandomMachine& machine) {
  auto model = Model::make(machine.hardware, machine.group);
  return model ? std::optional(std::move(*model)) : std::nullopt;
}

bool is_same(const std::optional<Choice>& one, const std::optional<Choice>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->algorithm == other->algorithm && one->protocol == other->protocol &&
         one->channels == other->channels && one->chunk == other->chunk;
}

/// Whether all-to-all and send use as many channels.
bool has_same_channels(const Model& one, const Model& other) {
  return one.costs().graphs().channels == other.costs().graphs().channels;
}

constexpr double step = 1.3;  // from one size to the next

/// Whether send goes over from LL to Simple between the size before and this one.
bool changes_protocol(const Model& model, Operation operation, double size) {
  const double most_ll = 16384. * model.costs().graphs().channels;
  return operation == Operation::send_recv && size > most_ll && size / step <= most_ll;
}

std::string place_of(const RandomMachine& machine, Operation operation, const Time& time, Bytes size) {
  const Hardware& hardware = machine.hardware;
  std::string text = std::string(to_string(operation)) + " of " + print(size) + " on " +
                     std::to_string(machine.group.nodes) + " x " + std::to_string(hardware.gpu.per_node) +
                     " sm" + std::to_string(hardware.gpu.compute_capability) + " " + hardware.version;
  if (hardware.network)
    text += ", " + std::to_string(hardware.network->nics_per_node) + " x " + print(hardware.network->rate);
  if (time.choice)
    text += ", " + std::string(to_string(time.choice->algorithm)) + " " +
            std::string(to_string(time.choice->protocol)) + " " + std::to_string(time.choice->channels);
  return text;
}

/// Runs `check` for machines whose algorithm and protocol are fixed, one after the other, and left to NCCL.
template <class Check>
void for_all_machines(Check check) {
  Machines machines;
  constexpr int count = 400;
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    RandomMachine machine = machines.draw();
    check(machine);
    for (const Algorithm algorithm : algorithms) {
      for (const Protocol protocol : protocols) {
        machine.hardware.environment.algorithms = {algorithm};
        machine.hardware.environment.protocols = {protocol};
        check(machine);
      }
    }
  }
}

/// No time of `slow` is below that of `fast`, the model of `machine`, at any size where both choose the same.
void expect_no_faster(const Model& slow, const Model& fast, const RandomMachine& machine) {
  for (const Operation operation : operations) {
    for (double size = 64; size < 2e9; size *= 4) {
      const auto one = fast.time(operation, {size});
      const auto other = slow.time(operation, {size});
      if (!one || !other || !is_same(one->choice, other->choice)) continue;
      ASSERT_GE(other->total(), one->total() * (1 - rounding)) << place_of(machine, operation, *one, {size});
    }
  }
}

TEST(NcclTimes, NeverFallWithSizeWhileTheChoiceStays) {
  int falls = 0;
  double worst = 0;
  for_all_machines([&](const RandomMachine& machine) {
    const auto model = model_on(machine);
    if (!model) return;
    for (const Operation operation : operations) {
      std::optional<Time> before;
      for (double size = 64; size < 2e9; size *= step) {
        const auto now = model->time(operation, {size});
        if (!now) break;
        if (before && now->total() < before->total() * (1 - rounding)) {
          const bool stays =
              is_same(now->choice, before->choice) && !changes_protocol(*model, operation, size);
          ASSERT_FALSE(stays) << place_of(machine, operation, *now, {size});
          ++falls;
          worst = std::max(worst, 1 - now->total() / before->total());
        }
        before = *now;
      }
    }
  });
  std::printf("%d falls where NCCL's own choice changes, the largest of %.0f %%\n", falls, 100 * worst);
}

TEST(NcclTimes, NeverFallOnASlowerNetworkWhileTheChoiceStays) {
  for_all_machines([](const RandomMachine& machine) {
    RandomMachine slower = machine;
    slower.hardware.network->rate *= .5;
    const auto fast = model_on(machine);
    const auto slow = model_on(slower);
    if (fast && slow && has_same_channels(*fast, *slow)) expect_no_faster(*slow, *fast, machine);
  });
}

TEST(NcclTimes, NeverFallWithMoreNodesWhileTheChoiceStays) {
  for_all_machines([](const RandomMachine& machine) {
    if (machine.group.nodes == 1 || machine.group.per_node() > 1) return;  // links that differ
    RandomMachine larger = machine;
    larger.group.nodes *= 2;
    larger.group.ranks *= 2;
    const auto few = model_on(machine);
    const auto many = model_on(larger);
    if (few && many && has_same_channels(*few, *many)) expect_no_faster(*many, *few, machine);
  });
}

}  // namespace
}  // namespace netmodels::nccl
