// What the files hold that a scenario names.
#include "sim/sweep/named_files.hpp"

#include <gtest/gtest.h>

#include "sim/scenario/document.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::sweep {
namespace {

TEST(NamedFiles, AreToldWithTheirContentsOnceEach) {
  const tests::ScratchFolder scratch;
  const std::string a = scratch.write("a.yaml", "a").string();
  const std::string b = scratch.write("b.csv", "").string();
  const auto document = scenario::read_document(scratch.write(
      "s.yaml", "b: {file: " + b + "}\nlist: [{file: " + a + "}, " + a +
                    "]\nname: a.yaml\nnone: /no/such/file\nfolder: " + scratch.path().string() + "\n"));
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_EQ(contents_of_files(document->root),
            "# " + a + ": 1 bytes, af63dc4c8601ec8c\n# " + b + ": 0 bytes, cbf29ce484222325\n");
}

}  // namespace
}  // namespace sim::sweep
