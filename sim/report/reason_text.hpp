// Sentences of the reasons that results carry: one table by kind.
#pragma once

#include <string>
#include <string_view>

#include "sim/engine/reason.hpp"

namespace sim::report {

/// Sentence of a reason, with its figures: "computing decides: it takes 80 % of the step".
std::string reason_text(const engine::Reason& reason);

/// An unknown whose range was published or measured, as tables show it.
struct InputText {
  std::string name;          ///< "goodput of nccl_tcp over 50 Gbit/s Ethernet"
  std::string_view measure;  ///< a command that measures it
};

/// @param range  of `engine::fitted_inputs`; its sentence is the range: "1.2 GB/s to 5 GB/s"
InputText input_text(const engine::Reason& range);

}  // namespace sim::report
