// Network namespaces by their names in /run/netns.
#include "calibrate/probes/network_namespace.hpp"

#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/folder.hpp"

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;

/// Folder in which iproute2 keeps them. Source: ip-netns(8).
constexpr const char* namespace_folder = "/var/run/netns";

/// Sorted names, separated by commas; empty where there is none.
std::string existing_names() {
  std::vector<std::string> names;
  for (const fs::path& path : files::paths_in(namespace_folder)) names.push_back(path.filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

tl::unexpected<netmodels::Error> unknown_namespace(const std::string& name) {
  const std::string names = existing_names();
  return netmodels::refuse("--namespaces", fmt::format("unknown network namespace `{}`", name),
                           names.empty() ? "make one by `ip netns add NAME`" : "there are " + names);
}

}  // namespace

netmodels::Result<NetworkNamespace> NetworkNamespace::open(const std::string& name) {
  const bool is_name = !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
  const int file = is_name ? ::open((fs::path(namespace_folder) / name).c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return unknown_namespace(name);
  NetworkNamespace opened(file);
  try {
    opened.run([] {});
  } catch (const std::system_error& refused) {
    return netmodels::refuse(
        "--namespaces",
        fmt::format("network namespace `{}` cannot be entered: {}", name, refused.code().message()),
        "run this as root");
  }
  return opened;
}

NetworkNamespace::~NetworkNamespace() {
  if (file_ >= 0) close(file_);
}

NetworkNamespace::NetworkNamespace(NetworkNamespace&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

NetworkNamespace& NetworkNamespace::operator=(NetworkNamespace&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

void NetworkNamespace::enter() const {
  if (setns(file_, CLONE_NEWNET) != 0) throw std::system_error(errno, std::generic_category(), "setns");
}

void NetworkNamespace::run(const std::function<void()>& work) const {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      enter();
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace calibrate::probes
