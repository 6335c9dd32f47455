// Preloaded into MPI ranks that outnumber the cores: polling that finds nothing waits a little instead of
// spinning.
//
// MPI libraries ask the kernel again and again, with a timeout of 0, whether a message has come. Where ranks
// share cores they take each other's time so. From the second empty answer in a row on, the question waits
// until something comes, for a millisecond at most.
#include <cerrno>
#include <dlfcn.h>
#include <poll.h>

#include <sys/epoll.h>

namespace {

constexpr int longest_wait_ms = 1;
thread_local bool found_nothing = false;

int timeout_now(int wanted) { return wanted == 0 && found_nothing ? longest_wait_ms : wanted; }

int remember(int found) {
  found_nothing = found == 0;
  return found;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int poll(pollfd* files, nfds_t count, int timeout) {
  static const auto real = next<int (*)(pollfd*, nfds_t, int)>("poll");
  return remember(real(files, count, timeout_now(timeout)));
}

extern "C" int epoll_wait(int queue, epoll_event* events, int most, int timeout) {
  static const auto real = next<int (*)(int, epoll_event*, int, int)>("epoll_wait");
  return remember(real(queue, events, most, timeout_now(timeout)));
}
