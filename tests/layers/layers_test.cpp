// Walks every #include of the repository's own code and fails on an arrow that the layers do not allow.
#include <algorithm>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/layers/rules.hpp"
#include "tests/source_tree.hpp"

namespace layers {
namespace {

namespace fs = std::filesystem;

// --- the walk
// --------------------------------------------------------------------------------------------------

struct Include {
  std::string file;  // from the root, with '/'
  int line;
  std::string target;
  bool quoted;
};

/// One way in which a tree breaks the rules, as `file:line: what; what is allowed`.
using Violations = std::vector<std::string>;

template <class Container>
std::string joined(const Container& words) {
  std::ostringstream text;
  for (const char* comma = ""; const auto& word : words) {
    text << comma << word;
    comma = ", ";
  }
  return text.str();
}

template <class Container>
bool holds(const Container& words, std::string_view word) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

std::string place(const Include& include) {
  return include.file + ":" + std::to_string(include.line) + ": #include " + (include.quoted ? "\"" : "<") +
         include.target + (include.quoted ? "\"" : ">") + ": ";
}

std::vector<fs::path> sources(const fs::path& root) {
  std::vector<fs::path> found;
  for (const std::string_view top : root_folders) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.is_regular_file() && holds(source_endings, entry.path().extension().string())) {
        found.push_back(fs::relative(entry.path(), root));
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Include> includes_of(const fs::path& root, const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> includes;
  std::ifstream stream(root / file);
  std::string line;
  std::smatch match;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (std::regex_match(line, match, pattern)) {
      includes.push_back({file.generic_string(), number, match[2], match[1] == "\""});
    }
  }
  return includes;
}

/// The row of the folder that a file lies in.
const Folder* folder_of(std::string_view file) {
  const std::string path = fs::path(file).parent_path().generic_string();
  const auto row = std::ranges::find(all_folders, path, &Folder::path);
  return row == all_folders.end() ? nullptr : &*row;
}

const Package* package_of(std::string_view target) {
  for (const Package& package : all_packages) {
    for (const std::string_view prefix : package.prefixes) {
      if (target.starts_with(prefix)) return &package;
    }
  }
  return nullptr;
}

bool lies_at(const std::string& file, const Package& package) {
  return package.addresses.empty() || std::ranges::any_of(package.addresses, [&](std::string_view address) {
           return fnmatch(std::string(address).c_str(), file.c_str(), FNM_PATHNAME) == 0;
         });
}

// --- the rules, one function each
// ------------------------------------------------------------------------------

/// An include of our own: from the root, of a file that is there, in a folder that may be included.
std::optional<std::string> broken_arrow(const fs::path& root, const Include& include) {
  if (!include.quoted) return place(include) + "is ours; write it with quotes";
  if (!fs::is_regular_file(root / include.target)) {
    return place(include) + "file not found; includes are written from the repository's root";
  }
  const Folder* from = folder_of(include.file);
  const Folder* to = folder_of(include.target);
  if (from == nullptr || (to != nullptr && (to == from || holds(from->may_include, to->path)))) return {};
  const std::string allowed = from->may_include.empty() ? "nothing else of ours" : joined(from->may_include);
  return place(include) + "not allowed; " + std::string(from->path) + " may include itself and: " + allowed;
}

std::optional<std::string> wrong_address(const Include& include) {
  const Package* package = package_of(include.target);
  if (package == nullptr) {
    if (include.target.find('/') == std::string::npos) return {};  // the standard library, or the system's
    return place(include) + "no package of the table in tests/layers/layers_test.cpp; known are: " + [] {
      std::vector<std::string_view> names;
      for (const Package& known : all_packages) names.push_back(known.name);
      return joined(names);
    }();
  }
  if (lies_at(include.file, *package)) return {};
  return place(include) + std::string(package->name) + " is allowed only in: " + joined(package->addresses);
}

bool is_ours(const Include& include) {
  const std::string top = include.target.substr(0, include.target.find('/'));
  return include.quoted ? package_of(include.target) == nullptr
                        : holds(root_folders, top) && include.target.find('/') != std::string::npos;
}

Violations broken_includes(const fs::path& root) {
  Violations violations;
  for (const fs::path& file : sources(root)) {
    for (const Include& include : includes_of(root, file)) {
      const auto violation = is_ours(include) ? broken_arrow(root, include) : wrong_address(include);
      if (violation) violations.push_back(*violation);
    }
  }
  return violations;
}

Violations packages_spread_too_wide(const fs::path& root) {
  std::map<const Package*, std::set<std::string>> files;
  for (const fs::path& file : sources(root)) {
    for (const Include& include : includes_of(root, file)) {
      if (const Package* package = package_of(include.target)) files[package].insert(include.file);
    }
  }
  Violations violations;
  for (const auto& [package, names] : files) {
    if (package->most_files == 0 || names.size() <= package->most_files) continue;
    violations.push_back(std::string(package->name) + " is allowed in at most " +
                         std::to_string(package->most_files) + " file, and is in: " + joined(names));
  }
  return violations;
}

Violations bad_names(const fs::path& root) {
  Violations violations;
  for (const fs::path& file : sources(root)) {
    const std::string path = file.generic_string();
    if (folder_of(path) == nullptr) {
      std::vector<std::string_view> known;
      for (const Folder& folder : all_folders) known.push_back(folder.path);
      violations.push_back(path + ":1: lies in no folder of the layers; they are: " + joined(known));
    }
    for (const fs::path& part : file) {
      if (!holds(names_without_meaning, part.stem().string())) continue;
      violations.push_back(path + ":1: '" + part.stem().string() +
                           "' says nothing; name what it is (refused are: " + joined(names_without_meaning) +
                           ")");
    }
  }
  return violations;
}

Violations missing_first_lines(const fs::path& root) {
  Violations violations;
  for (const fs::path& file : sources(root)) {
    std::ifstream stream(root / file);
    std::string line;
    std::getline(stream, line);
    if (line.starts_with("// ") && line.size() > 3) continue;
    violations.push_back(file.generic_string() +
                         ":1: opens without `// ` and one sentence that says what it is");
  }
  return violations;
}

Violations violations_in(const fs::path& root) {
  Violations all;
  for (const auto& rule : {broken_includes, packages_spread_too_wide, bad_names, missing_first_lines}) {
    std::ranges::copy(rule(root), std::back_inserter(all));
  }
  return all;
}

// --- this repository
// -------------------------------------------------------------------------------------------

TEST(Layers, HoldInThisRepository) {
  ASSERT_FALSE(sources(tests::source_dir()).empty());
  for (const std::string& violation : violations_in(tests::source_dir())) ADD_FAILURE() << violation;
}

TEST(Layers, TableHasNoCircle) {
  for (const Folder& folder : all_folders) {
    for (const std::string_view other : folder.may_include) {
      const auto row = std::ranges::find(all_folders, other, &Folder::path);
      ASSERT_NE(row, all_folders.end()) << other;
      EXPECT_FALSE(holds(row->may_include, folder.path)) << folder.path << " and " << other;
    }
  }
}

// --- the checker itself: small trees that break one rule each
// --------------------------------------------------

class LayersOfATree : public testing::Test {
 protected:
  LayersOfATree() : root_(fs::temp_directory_path() / ("gradsim_layers_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("netmodels/ring.hpp", "// A ring.\n#pragma once\n#include <vector>\n#include <fmt/format.h>\n");
  }
  ~LayersOfATree() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] std::string broken() const {
    std::string lines;
    for (const std::string& violation : violations_in(root_)) lines += violation + "\n";
    return lines;
  }

 private:
  fs::path root_;
};

TEST_F(LayersOfATree, GoodTreePasses) {
  write("policies/fixed.cpp", "// Fixed.\n#include \"netmodels/ring.hpp\"\n#include <sys/stat.h>\n");
  write("sim/engine/simgrid/play.cpp",
        "// Plays.\n#include <simgrid/s4u.hpp>\n#include \"netmodels/ring.hpp\"\n");
  EXPECT_EQ(broken(), "");
}

TEST_F(LayersOfATree, ArrowUpwardsIsNamedWithFileLineAndWhatIsAllowed) {
  write("policies/fixed.hpp", "// Fixed.\n#pragma once\n");
  write("netmodels/cost.cpp", "// Cost.\n\n#include \"policies/fixed.hpp\"\n");
  EXPECT_EQ(
      broken(),
      "netmodels/cost.cpp:3: #include \"policies/fixed.hpp\": not allowed; netmodels may include itself and: "
      "nothing else of ours\n");
}

TEST_F(LayersOfATree, LearningKnowsNoScenario) {
  write("sim/scenario/scenario.hpp", "// Scenario.\n");
  write("learning/learners/live.cpp", "// Live.\n#include \"sim/scenario/scenario.hpp\"\n");
  EXPECT_EQ(broken(),
            "learning/learners/live.cpp:2: #include \"sim/scenario/scenario.hpp\": not allowed; "
            "learning/learners may include itself and: learning/models, learning/datasets, policies, "
            "settings, netmodels, kernels, files\n");
}

TEST_F(LayersOfATree, CalibrateDoesNotIncludeTheSimulator) {
  write("sim/engine/engine.hpp", "// Engine.\n");
  write("calibrate/fits/fit.cpp", "// Fit.\n#include \"sim/engine/engine.hpp\"\n");
  EXPECT_NE(broken().find("calibrate/fits may include itself and: calibrate/measurements, files, "
                          "kernels, netmodels\n"),
            std::string::npos);
}

TEST_F(LayersOfATree, SimGridInAHeaderIsRefused) {
  write("sim/engine/simulate.hpp", "// Plays.\n#include <simgrid/s4u.hpp>\n");
  EXPECT_EQ(broken(),
            "sim/engine/simulate.hpp:2: #include <simgrid/s4u.hpp>: SimGrid is allowed only in: "
            "sim/engine/simgrid/*.cpp\n");
}

TEST_F(LayersOfATree, EachPackageHasOneAddress) {
  for (const std::string include : {"yaml-cpp/yaml.h", "sqlite3.h", "Eigen/Dense", "nccl.h", "mpi.h",
                                    "cuda_runtime.h", "cub/cub.cuh", "pagmo/problem.hpp", "CLI/CLI.hpp"}) {
    write("netmodels/ring.hpp", "// A ring.\n#include <" + include + ">\n");
    EXPECT_NE(broken().find("is allowed only in"), std::string::npos) << include;
  }
}

TEST_F(LayersOfATree, PackageAtItsAddressPasses) {
  write("sim/language/read.cpp", "// Reads.\n#include <yaml-cpp/yaml.h>\n#include <boost/random.hpp>\n");
  write("sim/sweep/store.cpp", "// Stores.\n#include <sqlite3.h>\n");
  write("calibrate/fits/line.cpp", "// Fits.\n#include <Eigen/Dense>\n");
  write("calibrate/probes/nccl.cpp", "// Probes.\n#include <nccl.h>\n#include <cuda_runtime.h>\n");
  write("kernels/topk.cu", "// Top-k.\n#include <cub/cub.cuh>\n");
  write("kernels/device.hpp", "// Device.\n#include <cuda_runtime.h>\n");
  write("sim/main.cpp", "// sim.\n#include <CLI/CLI.hpp>\n");
  EXPECT_EQ(broken(), "");
}

TEST_F(LayersOfATree, PagmoInTwoFilesIsRefused) {
  write("policies/pagmo/one.cpp", "// One.\n#include <pagmo/problem.hpp>\n");
  EXPECT_EQ(broken(), "");
  write("policies/pagmo/two.cpp", "// Two.\n#include <pagmo/problem.hpp>\n");
  EXPECT_EQ(
      broken(),
      "pagmo is allowed in at most 1 file, and is in: policies/pagmo/one.cpp, policies/pagmo/two.cpp\n");
}

TEST_F(LayersOfATree, UnknownPackageIsRefused) {
  write("netmodels/log.cpp", "// Log.\n#include <spdlog/spdlog.h>\n");
  EXPECT_NE(broken().find("netmodels/log.cpp:2: #include <spdlog/spdlog.h>: no package of the table"),
            std::string::npos);
}

TEST_F(LayersOfATree, IncludeNotFromTheRootIsRefused) {
  write("netmodels/tree.cpp", "// Tree.\n#include \"ring.hpp\"\n");
  EXPECT_NE(broken().find("netmodels/tree.cpp:2: #include \"ring.hpp\": file not found"), std::string::npos);
}

TEST_F(LayersOfATree, OurHeaderInAngleBracketsIsRefused) {
  write("netmodels/tree.cpp", "// Tree.\n#include <netmodels/ring.hpp>\n");
  EXPECT_NE(broken().find("write it with quotes"), std::string::npos);
}

TEST_F(LayersOfATree, NamesWithoutMeaningAreRefused) {
  write("netmodels/utils/text.hpp", "// Text.\n");
  write("sim/common.cpp", "// Common.\n");
  EXPECT_NE(broken().find("netmodels/utils/text.hpp:1: 'utils' says nothing"), std::string::npos);
  EXPECT_NE(broken().find("netmodels/utils/text.hpp:1: lies in no folder of the layers"), std::string::npos);
  EXPECT_NE(broken().find("sim/common.cpp:1: 'common' says nothing"), std::string::npos);
}

TEST_F(LayersOfATree, FileWithoutAFirstSentenceIsRefused) {
  write("kernels/topk.hpp", "#pragma once\n");
  EXPECT_EQ(broken(), "kernels/topk.hpp:1: opens without `// ` and one sentence that says what it is\n");
}

}  // namespace
}  // namespace layers
