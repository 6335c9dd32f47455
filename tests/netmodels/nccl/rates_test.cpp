// Line rates of GPUs by hand.
#include "netmodels/nccl/rates.hpp"

#include <gtest/gtest.h>

#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

TEST(LineRatesOfGpus, AreThoseOfAllNvLinks) {
  EXPECT_DOUBLE_EQ(line_rate_of_gpu(switched(80, 12, 8)).count, 12 * 25e9);
}

TEST(LineRatesOfGpus, AreThoseOfTheGpuWithMostLinksOfAMesh) {
  Hardware mesh = v100_mesh();
  mesh.gpu.per_node = 3;
  mesh.nvlink.mesh = {{0, 1, 2}, {1, 2, 1}};
  EXPECT_DOUBLE_EQ(line_rate_of_gpu(mesh).count, 3 * 25e9);
}

TEST(LineRatesOfGpus, AreThoseOfPcieWithoutNvLink) {  // 16 lanes of 16 GT/s, 128 of 130 bits
  Hardware hardware = switched(80, 12, 8);
  hardware.nvlink = {};
  hardware.pcie.generation = 4;
  EXPECT_NEAR(line_rate_of_gpu(hardware).count, 31.508e9, 1e6);
}

}  // namespace
}  // namespace netmodels::nccl
