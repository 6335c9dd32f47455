// CMakeLists.txt owns the version; every other place that states it agrees.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "tests/source_tree.hpp"

namespace layers {
namespace {

std::string text_at(const std::string& path) {
  std::ifstream stream(std::filesystem::path(tests::source_dir()) / path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The version in a text, as the first group of the first match; empty where there is none.
std::string version_in(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match.str(1) : "";
}

struct Statement {
  const char* path;
  const char* pattern;
};

constexpr Statement statements[] = {
    {"CITATION.cff", R"(\nversion: (\S+)\n)"},
    {"pyproject.toml", R"re(\nversion = "([^"]+)"\n)re"},
    {"python/gradsim/__init__.py", R"re(\n__version__ = "([^"]+)"\n)re"},
    {"docs/install.md", R"(gradsim_([0-9.]+)_amd64\.deb)"},
    {"CHANGELOG.md", R"(\n## ([0-9][^ \n]*) - \d{4}-\d{2}-\d{2}\n)"},
    {"tests/golden/help_of_commands.out", R"(\nsim ([0-9]\S*)\n)"},
};

TEST(Version, IsTheSameWhereverItIsStated) {
  const std::string version = version_in(text_at("CMakeLists.txt"), R"(project\(gradsim VERSION (\S+) )");
  ASSERT_NE(version, "");
  for (const Statement& one : statements)
    EXPECT_EQ(version_in(text_at(one.path), one.pattern), version) << one.path;
}

TEST(Version, IsReadFromItsPattern) {
  EXPECT_EQ(version_in("a\nversion: 1.2.3\nb", statements[0].pattern), "1.2.3");
  EXPECT_EQ(version_in("# Changelog\n\n## Unreleased\n\n## 0.3.0 - 2027-01-02\n\n## 0.2.0 - 2026-11-28\n",
                       statements[4].pattern),
            "0.3.0");
  EXPECT_EQ(version_in("no version", statements[0].pattern), "");
}

}  // namespace
}  // namespace layers
