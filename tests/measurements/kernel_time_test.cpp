// Files of kernel times: printed and read back, and what is refused.
#include "calibrate/measurements/kernel_time.hpp"

#include <gtest/gtest.h>

namespace calibrate::measurements {
namespace {

using netmodels::Seconds;

const std::string kernel_time_header =
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
  EXPECT_EQ(print_kernel_times(two()), "# device=a device\n# made up\n" + kernel_time_header +
                                           "topk,1000,0.01,7,20.0000,10.0000,30.0000,4.0000,80,5.000\n"
                                           "qsgd,1000,1,9,50.0000,40.0000,60.0000,4.0000,1032,12.500\n");
}

TEST(KernelTimesFile, HoldsTheTimesOfRestoringWhereAllTellThem) {
  KernelTimes times = two();
  times.times[0].restore = Seconds{1.5e-6};
  EXPECT_EQ(print_kernel_times(times), print_kernel_times(two()));
  times.times[1].restore = Seconds{2e-6};
  EXPECT_EQ(print_kernel_times(times),
            "# device=a device\n# made up\n" + kernel_time_header.substr(0, kernel_time_header.size() - 1) +
                ",restore_us\n"
                "topk,1000,0.01,7,20.0000,10.0000,30.0000,4.0000,80,5.000,1.5000\n"
                "qsgd,1000,1,9,50.0000,40.0000,60.0000,4.0000,1032,12.500,2.0000\n");
  const auto read = parse_kernel_times(print_kernel_times(times), "k.csv");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, times);
}

TEST(KernelTimesFile, IsReadAsItWasPrinted) {
  const auto read = parse_kernel_times(print_kernel_times(two()), "k.csv");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, two());
}

TEST(KernelTimesFile, RefusesWithPlace) {
  const std::string device = "# device=d\n";
  EXPECT_EQ(refused("size,time\n1,2\n"),
            "k.csv:1:1: this is not a file of kernel times; write one by `calibrate probe kernels`");
  EXPECT_EQ(refused(device + kernel_time_header),
            "k.csv: the file has no times; write it by `calibrate probe kernels`");
  EXPECT_EQ(refused(kernel_time_header + "topk,10,0.1,1,1,1,1,1,8,1\n"),
            "k.csv: it does not state the device; write `# device=NAME`");
  EXPECT_EQ(refused(device + kernel_time_header + "topk,10,0.1\n"),
            "k.csv:3:1: expected 10 cells, found 3; write " +
                kernel_time_header.substr(0, kernel_time_header.size() - 1));
}

TEST(KernelTimesFile, RefusesACellByItsColumnAndWhatItMayBe) {
  const auto of = [](const std::string& row) {
    return refused("# device=d\n" + kernel_time_header + row + "\n");
  };
  const std::string time = " is invalid; accepted: a finite number above 0";
  EXPECT_EQ(of("topk,10,0.1,1,nan,1,1,1,8,1"), "k.csv:3:15: `nan` in column `median_us`" + time);
  EXPECT_EQ(of("topk,10,0.1,1,1,0,1,1,8,1"), "k.csv:3:17: `0` in column `min_us`" + time);
  EXPECT_EQ(of("topk,10,1,1,1,1,-1,1,8,1"), "k.csv:3:17: `-1` in column `p95_us`" + time);
  EXPECT_EQ(of("topk,10,1,1,1,1,1,inf,8,1"), "k.csv:3:19: `inf` in column `copy_us`" + time);
  EXPECT_EQ(of("topk,10,1,1,1,1,1,1,,1"), "k.csv:3:21: `` in column `wire_bytes`" + time);
  EXPECT_EQ(of("topk,10,1.1,1,1,1,1,1,8,1"), "k.csv:3:9: `1.1` in column `ratio`" + time + ", at most 1");
  EXPECT_EQ(of(",10,1,1,1,1,1,1,8,1"),
            "k.csv:3:1: no compressor is named; write its name before the first comma");
  EXPECT_EQ(refused("# device=d\n" + kernel_time_header.substr(0, kernel_time_header.size() - 1) +
                    ",restore_us\ntopk,10,1,1,1,1,1,1,8,1,0\n"),
            "k.csv:3:25: `0` in column `restore_us`" + time);
  const std::string count = " is invalid; accepted: a whole number above 0, at most 1000000000";
  EXPECT_EQ(of("topk,1e30,1,1,1,1,1,1,8,1"), "k.csv:3:6: `1e30` in column `elements`" + count);
  EXPECT_EQ(of("topk,0.5,1,1,1,1,1,1,8,1"), "k.csv:3:6: `0.5` in column `elements`" + count);
  EXPECT_EQ(of("topk,-10,1,1,1,1,1,1,8,1"), "k.csv:3:6: `-10` in column `elements`" + count);
  EXPECT_EQ(of("topk,10,1,1e20,1,1,1,1,8,1"), "k.csv:3:11: `1e20` in column `repetitions`" + count);
  EXPECT_EQ(of("topk,10,1, 1.5 ,1,1,1,1,8,1"), "k.csv:3:12: `1.5` in column `repetitions`" + count);
}

TEST(KernelTimesFile, RefusesTwoTimesOfOneCase) {
  const std::string text = "# device=d\n" + kernel_time_header + "topk,10,0.1,1,1,1,1,1,8,1\n";
  EXPECT_EQ(
      refused(text + "topk,10,0.2,1,1,1,1,1,8,1\ntopk,20,0.1,1,1,1,1,1,8,1\nqsgd,10,0.1,1,1,1,1,1,8,1\n"),
      "accepted");
  EXPECT_EQ(refused(text + "\ntopk,1e1,0.10,9,2,2,2,2,8,1\n"),
            "k.csv:5:1: duplicate topk on 10 values at ratio 0.1; the first is in line 3; leave out one of "
            "the two");
}

}  // namespace
}  // namespace calibrate::measurements
