// Opening NCCL and finding its calls.
#if GRADSIM_HAS_NCCL
#include <dlfcn.h>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/probes/nccl_ranks.hpp"

namespace calibrate::probes {

using netmodels::refuse;
using netmodels::Result;

template <class Call>
bool NcclLibrary::find(Call& call, const char* name) {
  call = reinterpret_cast<Call>(dlsym(handle_, name));
  return call != nullptr;
}

namespace {

constexpr const char* where_to_find_it =
    "name the file of libnccl.so.2, or its folder's parent by NCCL_HOME; PyTorch includes one, in lib of: "
    "python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])'";

}  // namespace

Result<std::shared_ptr<const NcclLibrary>> NcclLibrary::open(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return refuse("--library", fmt::format("{} cannot be opened: {}", file, dlerror()), where_to_find_it);
  }
  const std::shared_ptr<NcclLibrary> library(new NcclLibrary(handle));
  const bool whole = library->find(library->get_version, "ncclGetVersion") &&
                     library->find(library->get_error_string, "ncclGetErrorString") &&
                     library->find(library->get_unique_id, "ncclGetUniqueId") &&
                     library->find(library->comm_init_rank, "ncclCommInitRank") &&
                     library->find(library->comm_destroy, "ncclCommDestroy") &&
                     library->find(library->all_reduce, "ncclAllReduce") &&
                     library->find(library->all_gather, "ncclAllGather") &&
                     library->find(library->reduce_scatter, "ncclReduceScatter") &&
                     library->find(library->broadcast, "ncclBroadcast") &&
                     library->find(library->send, "ncclSend") && library->find(library->receive, "ncclRecv");
  if (whole) return library;
  return refuse("--library", file + " lacks functions of NCCL", "name the file of libnccl.so.2");
}

NcclLibrary::~NcclLibrary() { dlclose(handle_); }

std::string NcclLibrary::version() const {
  int code = 0;
  check(get_version(&code), "ncclGetVersion");
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

void NcclLibrary::check(ncclResult_t result, const char* call) const {
  if (result == ncclSuccess) return;
  throw std::runtime_error(fmt::format("{}: {}", call, get_error_string(result)));
}

Result<std::filesystem::path> locate_library(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::path(name);
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    return refuse("--library", fmt::format("{} is not installed: {}", name, dlerror()), where_to_find_it);
  }
  Dl_info found{};
  const bool known = dladdr(dlsym(handle, "ncclGetVersion"), &found) != 0 && found.dli_fname != nullptr;
  const std::filesystem::path path = known ? found.dli_fname : name;
  dlclose(handle);
  return path;
}

}  // namespace calibrate::probes
#endif
