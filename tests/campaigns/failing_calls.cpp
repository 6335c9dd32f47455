// A library for LD_PRELOAD: calls of one kind fail, from the n-th of each process on or that one alone.
//
//   FAILING_CALLS=KIND:ERROR:N[+]   + fails all later ones, too
//     KIND   open, read, write, sync, rename, exchange, fork, mkdir, unlink, list (a folder is opened) or
//            allocate (operator new; not under sanitizers, whose own comes first)
//     ERROR  a number of errno, or `short`: half of the bytes are read or written
//   FAILING_CALLS_LOG=FILE          one line a call, but for allocate: kind, number, `failed` where it was
//   made to,
//                                   path
//
// Leaves out: calls that the C library makes by itself, as for standard output.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace {

constexpr int is_short = -1;  // in place of an error

struct Plan {
  std::string_view kind;  ///< of the environment: reading the plan allocates nothing
  int error = 0;
  long number = 0;
  bool on = false;  ///< all later ones, too
  int log = -1;
};

Plan read_plan() {
  Plan plan;
  if (const char* file = std::getenv("FAILING_CALLS_LOG"))
    plan.log = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const char* asked = std::getenv("FAILING_CALLS");
  if (asked == nullptr) return plan;
  const std::string_view text = asked;
  const auto first = text.find(':');
  const auto second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) std::abort();
  plan.kind = text.substr(0, first);
  const char* error = asked + first + 1;
  plan.error = text.substr(first + 1, second - first - 1) == "short" ? is_short : std::atoi(error);
  plan.number = std::atol(asked + second + 1);
  plan.on = text.back() == '+';
  return plan;
}

const Plan& plan() {
  static const Plan kept = read_plan();
  return kept;
}

/// Counts the calls of a kind.
class Calls {
 public:
  explicit Calls(std::string_view kind) : kind_(kind) {}

  /// @param path  nullptr for a call that is not logged
  /// @returns 0 where the call is to go ahead, else the error, or `is_short`
  int failure(const char* path = "") {
    const Plan& made = plan();
    const long number = ++count_;
    const bool fails = made.kind == kind_ && (made.on ? number >= made.number : number == made.number);
    if (made.log >= 0 && path != nullptr) {
      char line[512];
      const int size = std::snprintf(line, sizeof line, "%s %ld%s %.300s\n", kind_.data(), number,
                                     fails ? " failed" : "", path);
      (void)syscall(SYS_write, made.log, line, static_cast<std::size_t>(size));
    }
    return fails ? made.error : 0;
  }

 private:
  std::string_view kind_;  ///< of a literal
  std::atomic<long> count_{0};
};

Calls opens("open"), reads("read"), writes("write"), syncs("sync"), renames("rename"), exchanges("exchange"),
    forks("fork"), folders("mkdir"), unlinks("unlink"), lists("list"), allocations("allocate");

template <typename Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// The call itself, or its failure.
template <typename Result, typename... Parameters, typename... Arguments>
Result passed(Calls& calls, const char* name, Result failed, Result (*)(Parameters...),
              Arguments... arguments) {
  if (const int error = calls.failure(); error != 0) {
    errno = error;
    return failed;
  }
  return original<Result(Parameters...)>(name)(arguments...);
}

/// As `passed`, of a call that takes a number of bytes, of which half may be done.
template <typename Call>
ssize_t transferred(Calls& calls, size_t size, const Call& call) {
  const int error = calls.failure();
  if (error == 0) return call(size);
  if (error == is_short) return call(size < 2 ? size : size / 2);
  errno = error;
  return -1;
}

mode_t mode_of(int flags, std::va_list& more) { return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; }

}  // namespace

#define PASSED(calls, name, failed, ...) \
  passed(calls, #name, static_cast<decltype(name(__VA_ARGS__))>(failed), &name, __VA_ARGS__)

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (const int error = opens.failure(path); error != 0) return errno = error, -1;
  return original<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  if (const int error = opens.failure(path); error != 0) return errno = error, -1;
  return original<int(const char*, int, ...)>("open64")(path, flags, mode);
}

FILE* fopen(const char* path, const char* how) { return PASSED(opens, fopen, nullptr, path, how); }
FILE* fopen64(const char* path, const char* how) { return PASSED(opens, fopen64, nullptr, path, how); }

ssize_t read(int file, void* to, size_t size) {
  return transferred(reads, size, [=](size_t some) { return syscall(SYS_read, file, to, some); });
}
ssize_t pread(int file, void* to, size_t size, off_t at) {
  return transferred(reads, size, [=](size_t some) { return syscall(SYS_pread64, file, to, some, at); });
}
ssize_t pread64(int file, void* to, size_t size, off64_t at) {
  return transferred(reads, size, [=](size_t some) { return syscall(SYS_pread64, file, to, some, at); });
}

ssize_t write(int file, const void* from, size_t size) {
  return transferred(writes, size, [=](size_t some) { return syscall(SYS_write, file, from, some); });
}
ssize_t pwrite(int file, const void* from, size_t size, off_t at) {
  return transferred(writes, size, [=](size_t some) { return syscall(SYS_pwrite64, file, from, some, at); });
}
ssize_t pwrite64(int file, const void* from, size_t size, off64_t at) {
  return transferred(writes, size, [=](size_t some) { return syscall(SYS_pwrite64, file, from, some, at); });
}
ssize_t writev(int file, const iovec* parts, int count) {
  return PASSED(writes, writev, -1, file, parts, count);
}

int fsync(int file) { return PASSED(syncs, fsync, -1, file); }
int fdatasync(int file) { return PASSED(syncs, fdatasync, -1, file); }

int rename(const char* from, const char* to) noexcept { return PASSED(renames, rename, -1, from, to); }
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return PASSED(exchanges, renameat2, -1, from_folder, from, to_folder, to, flags);
}
int mkdir(const char* path, mode_t mode) noexcept { return PASSED(folders, mkdir, -1, path, mode); }
int unlink(const char* path) noexcept { return PASSED(unlinks, unlink, -1, path); }
DIR* opendir(const char* path) { return PASSED(lists, opendir, nullptr, path); }
DIR* fdopendir(int file) { return PASSED(lists, fdopendir, nullptr, file); }
pid_t fork() noexcept {
  if (const int error = forks.failure(); error != 0) return errno = error, -1;
  return original<pid_t()>("fork")();
}

}  // extern "C"

// Only the allocating function: the library's own, and those for arrays, go through it, and memory of both is
// given back by `free`.
void* operator new(std::size_t size) {
  if (allocations.failure(nullptr) != 0) throw std::bad_alloc();
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
