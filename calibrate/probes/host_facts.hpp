// The machine of this process: processor, kernel, and boot id.
#pragma once

#include <string>

namespace calibrate::probes {

/// Empty texts where the system does not say.
struct HostFacts {
  std::string processor;  ///< model as the kernel names it
  std::string kernel;     ///< name and release
  std::string boot;       ///< differs between machines and between boots of one
  unsigned cores = 0;     ///< cores that this process may use
};

/// Leaves out: time namespaces, in which CLOCK_MONOTONIC differs within one boot.
HostFacts host_facts();

}  // namespace calibrate::probes
