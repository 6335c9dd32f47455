// Words for what is exchanged.
#include "sim/engine/record.hpp"

namespace sim::engine {

std::string_view to_string(Traffic traffic) {
  switch (traffic) {
    case Traffic::gradients: return "gradients";
    case Traffic::parameters: return "parameters";
    case Traffic::nothing: return "nothing";
  }
  return "";
}

}  // namespace sim::engine
