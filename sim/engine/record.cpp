// Adding up and averaging the parts of steps.
#include "sim/engine/record.hpp"

namespace sim::engine {

Parts& Parts::operator+=(const Parts& other) {
  compute += other.compute;
  wait += other.wait;
  compress += other.compress;
  exchange += other.exchange;
  stream_wait += other.stream_wait;
  return *this;
}

Parts operator/(const Parts& parts, double divisor) {
  return {parts.compute / divisor, parts.wait / divisor, parts.compress / divisor, parts.exchange / divisor,
          parts.stream_wait / divisor};
}

std::string_view to_string(Traffic traffic) {
  switch (traffic) {
    case Traffic::gradients: return "gradients";
    case Traffic::parameters: return "parameters";
    case Traffic::nothing: return "nothing";
  }
  return "";
}

}  // namespace sim::engine
