// A network switch in user space: links of one rate in both directions and a fixed delay, for kernels without
// netem.
//
//   live_switch MBIT DELAY_US NAMESPACE...
//
// Makes eth0 in each network namespace (a TAP device; hardware address 02:00:00:00:00:PORT is expected
// there), prints `ready`, and carries frames until it is ended. Each port's downlink is a queue in virtual
// time: a frame leaves when those before it have, at MBIT, and arrives DELAY_US later. Uplinks are shaped by
// all other users of eth0. Where it may, it runs before ordinary processes, so that no frame waits for one.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

namespace {

using Nanoseconds = std::int64_t;

constexpr std::size_t largest_frame = 2048;
constexpr std::size_t last_byte_of_address = 5;
constexpr std::int64_t most_queued_bytes = 8'000'000;

struct Frame {
  Nanoseconds arrives;
  std::vector<char> bytes;
};

struct Port {
  int device = -1;
  Nanoseconds free = 0;  // when the downlink has carried all it was given
  std::deque<Frame> queue{};
};

struct Line {
  std::int64_t megabits;  // per second
  Nanoseconds delay;

  [[nodiscard]] Nanoseconds time(std::size_t bytes) const {
    return static_cast<Nanoseconds>(bytes) * 8000 / megabits;
  }
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

Nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int open_device(const std::string& network) {
  const int there = open(("/var/run/netns/" + network).c_str(), O_RDONLY | O_CLOEXEC);
  if (there < 0 || setns(there, CLONE_NEWNET) != 0) fail(network);
  close(there);
  const int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strcpy(request.ifr_name, "eth0");
  if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) fail("eth0 in " + network);
  return device;
}

/// Puts the frames of one port into the queues of their receivers; frames without a receiver are dropped.
void take_frames(int device, std::vector<Port>& ports, const Line& line) {
  std::array<char, largest_frame> bytes{};
  for (ssize_t size = 0; (size = read(device, bytes.data(), bytes.size())) > 0;) {
    const auto to = static_cast<std::size_t>(bytes[last_byte_of_address]);
    if (bytes[0] != 2 || to >= ports.size()) continue;
    Port& port = ports[to];
    const Nanoseconds begin = std::max(port.free, now());
    if (begin - now() > line.time(most_queued_bytes)) continue;  // the tail is dropped
    port.free = begin + line.time(static_cast<std::size_t>(size));
    port.queue.push_back({port.free + line.delay, {bytes.data(), bytes.data() + size}});
  }
}

void deliver(Port& port) {
  while (!port.queue.empty() && port.queue.front().arrives <= now()) {
    const Frame& frame = port.queue.front();
    [[maybe_unused]] const ssize_t written = write(port.device, frame.bytes.data(), frame.bytes.size());
    port.queue.pop_front();  // what the host cannot take is lost, as on a wire
  }
}

std::optional<timespec> until_next(const std::vector<Port>& ports) {
  std::optional<Nanoseconds> next;
  for (const Port& port : ports)
    if (!port.queue.empty()) next = std::min(next.value_or(INT64_MAX), port.queue.front().arrives);
  if (!next) return std::nullopt;
  const Nanoseconds wait = std::max<Nanoseconds>(0, *next - now());
  return timespec{wait / 1'000'000'000, wait % 1'000'000'000};
}

[[noreturn]] void carry(std::vector<Port>& ports, const Line& line) {
  std::vector<pollfd> devices;
  for (const Port& port : ports) devices.push_back({port.device, POLLIN, 0});
  for (;;) {
    const auto wait = until_next(ports);
    if (ppoll(devices.data(), devices.size(), wait ? &*wait : nullptr, nullptr) < 0 && errno != EINTR)
      fail("ppoll");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if ((devices[i].revents & POLLIN) != 0) take_frames(ports[i].device, ports, line);
    }
    for (Port& port : ports) deliver(port);
  }
}

/// Round-robin at priority 20, as far as the system permits, and timers without slack.
void hurry() {
  sched_param wanted{};
  wanted.sched_priority = 20;
  if (sched_setscheduler(0, SCHED_RR, &wanted) != 0)
    std::fprintf(stderr, "live_switch: no real-time priority: %s\n", std::strerror(errno));
  prctl(PR_SET_TIMERSLACK, 1UL);
}

std::int64_t read_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw std::runtime_error("`" + std::string(text) + "` is not a whole number");
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 4) throw std::runtime_error("usage: live_switch MBIT DELAY_US NAMESPACE NAMESPACE...");
    const Line line{read_number(words[0]), 1000 * read_number(words[1])};
    if (line.megabits == 0) throw std::runtime_error("a line of 0 Mbit/s carries nothing");
    hurry();
    std::vector<Port> ports;
    for (std::size_t i = 2; i < words.size(); ++i) ports.push_back({open_device(words[i])});
    std::puts("ready");
    std::fflush(stdout);
    carry(ports, line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "live_switch: %s\n", error.what());
    return 3;
  }
}
