// Files of kernel times: printed and read back, and what is refused.
#include "calibrate/measurements/kernel_time.hpp"

#include <gtest/gtest.h>

namespace calibrate::measurements {
namespace {

const std::string header =
    "compressor,elements,ratio,repetitions,median_us,min_us,p95_us,copy_us,wire_bytes,copies\n";

KernelTimes two() {
  return {"a device",
          {"made up"},
          {{"topk", 1000, 0.01, 7, {2e-5}, {1e-5}, {3e-5}, {4e-6}, {80}},
           {"qsgd", 1000, 1, 9, {5e-5}, {4e-5}, {6e-5}, {4e-6}, {1032}}}};
}

std::string refused(const std::string& text) {
  const auto read = parse_kernel_times(text, "k.csv");
  return read ? "accepted" : read.error().text();
}

TEST(KernelTimesFile, HoldsTimesInMicrosecondsAndCopies) {
  EXPECT_EQ(print_kernel_times(two()), "# device=a device\n# made up\n" + header +
                                           "topk,1000,0.01,7,20.0000,10.0000,30.0000,4.0000,80,5.000\n"
                                           "qsgd,1000,1,9,50.0000,40.0000,60.0000,4.0000,1032,12.500\n");
}

TEST(KernelTimesFile, IsReadAsItWasPrinted) {
  const auto read = parse_kernel_times(print_kernel_times(two()), "k.csv");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, two());
}

TEST(KernelTimesFile, RefusesWithPlace) {
  const std::string device = "# device=d\n";
  EXPECT_EQ(refused("size,time\n1,2\n"),
            "k.csv:1:1: this is no file of kernel times; write one by `calibrate probe kernels`");
  EXPECT_EQ(refused(device + header), "k.csv: it holds no times; write it by `calibrate probe kernels`");
  EXPECT_EQ(refused(header + "topk,10,0.1,1,1,1,1,1,8,1\n"),
            "k.csv: it does not say on which device; write `# device=NAME`");
  EXPECT_EQ(refused(device + header + "topk,10,0.1\n"),
            "k.csv:3:1: 3 cells stand where 10 are expected; write " + header.substr(0, header.size() - 1));
  const std::string no_number = "k.csv:3:1: a cell is no number above 0; measure again, or leave the row out";
  EXPECT_EQ(refused(device + header + "topk,10,0.1,1,nan,1,1,1,8,1\n"), no_number);
  EXPECT_EQ(refused(device + header + "topk,10,0.1,1,0,1,1,1,8,1\n"), no_number);
  EXPECT_EQ(refused(device + header + "topk,10,1.1,1,1,1,1,1,8,1\n"),
            "k.csv:3:1: the ratio is above 1; accepted: above 0, at most 1");
  const std::string beyond = "k.csv:3:1: a count is beyond reason; accepted: at most 1000000000";
  EXPECT_EQ(refused(device + header + "topk,1e30,1,1,1,1,1,1,8,1\n"), beyond);
  EXPECT_EQ(refused(device + header + "topk,10,1,1e20,1,1,1,1,8,1\n"), beyond);
}

}  // namespace
}  // namespace calibrate::measurements
