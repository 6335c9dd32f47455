// The loader's calls, and where modules are.
#include "files/module.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <dlfcn.h>
#include <stdexcept>
#include <unistd.h>

namespace files {
namespace {

std::string program_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string program(path.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  return program.substr(0, program.rfind('/') + 1);
}

/// The last folder of a path goes, and "/" stays.
std::string parent_of(const std::string& folder) {
  return folder.substr(0, folder.rfind('/', folder.size() - 2) + 1);
}

std::vector<std::string>& opened() {
  static std::vector<std::string> names;  // as the libraries themselves, of the process
  return names;
}

}  // namespace

const std::vector<std::string>& open_modules() { return opened(); }

void* open_module_entry(const std::string& name) {
  const std::string folder = program_folder();
  const std::string path =
      (folder.size() > 1 ? parent_of(folder) : folder) + "lib/gradsim/lib" + name + ".so";
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = module == nullptr ? nullptr : dlsym(module, "gradsim_module");
  if (entry != nullptr) {
    if (std::ranges::find(opened(), name) == opened().end()) opened().push_back(name);
    return entry;
  }
  const char* reason = dlerror();
  throw std::runtime_error(
      "a part of gradsim cannot be loaded: " + std::string(reason == nullptr ? path : reason) +
      "; build or install gradsim anew");
}

}  // namespace files
