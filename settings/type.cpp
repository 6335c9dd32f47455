// Values of plain types as text.
#include "settings/type.hpp"

#include <charconv>

namespace settings::types {

std::string to_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string to_text(const Moment& moment) {
  switch (moment.unit) {
    case Moment::Unit::step: return "step " + to_text(moment.value);
    case Moment::Unit::epoch: return "epoch " + to_text(moment.value);
    case Moment::Unit::time: break;
  }
  return netmodels::print(netmodels::Seconds{moment.value}, most_digits);
}

}  // namespace settings::types
