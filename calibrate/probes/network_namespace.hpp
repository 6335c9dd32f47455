// Named network namespaces, which single threads of a program enter.
#pragma once

#include <functional>
#include <string>

#include "netmodels/result.hpp"

namespace calibrate::probes {

/// A network namespace as `ip netns add NAME` makes it. It lives at least as long as this object.
class NetworkNamespace {
 public:
  /// Opens a namespace and tries, in a thread that ends at once, whether it may be entered.
  /// @returns an Error that names `--namespaces` where there is none of this name, with the names that exist,
  ///          or where this process may not enter it
  static netmodels::Result<NetworkNamespace> open(const std::string& name);

  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&& other) noexcept;
  NetworkNamespace(const NetworkNamespace&) = delete;
  NetworkNamespace& operator=(const NetworkNamespace&) = delete;

  /// Moves the calling thread. Sockets that it opens from now on, and threads that it starts, belong there;
  /// sockets that are open stay where they are.
  /// @throws std::system_error where the system refuses
  /// Leaves out: /sys, which shows the devices of the process's own namespace.
  void enter() const;
  /// Runs the work in a thread of its own, in the namespace, and waits for its end.
  /// @throws what the work throws, or std::system_error as `enter` does
  void run(const std::function<void()>& work) const;

 private:
  explicit NetworkNamespace(int file) : file_(file) {}

  int file_;  ///< -1: moved from
};

}  // namespace calibrate::probes
