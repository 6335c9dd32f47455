// Reading a file to its end.
#include "sim/report/file_text.hpp"

#include <fstream>
#include <sstream>

namespace sim::report {

std::optional<std::string> file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  const bool empty = file.peek() == std::ifstream::traits_type::eof();  // a stream of nothing would fail
  if (!empty) text << file.rdbuf();
  if (file.bad() || !text) return std::nullopt;
  return text.str();
}

}  // namespace sim::report
