// A measured figure and its prediction, and the texts that a prediction starts from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/text_file.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::ledger {

/// Unit of the figures of a paper, each in the paper's own.
inline constexpr std::string_view published_unit = "as published";

/// One measured figure and the prediction of it.
struct Prediction {
  std::string table;  ///< the source of the measured figure: the file's name, or a part of it
  std::string what;   ///< name of the figure in the table
  std::string unit;   ///< unit of both figures: s, or what the table counts in
  std::optional<netmodels::Bytes> size{};  ///< size of the message, where the figure has one
  double measured = 0;                     ///< above 0
  double predicted = 0;
  bool in_sample = false;  ///< the parameters were fitted to this very figure
  std::string arm = {};    ///< arm's name in the simulator's results, with which `what` begins

  /// (predicted - measured) / measured.
  [[nodiscard]] double error() const { return predicted / measured - 1; }

  /// Whether both figures are on the same side of 1: for a quotient of two times, whether the quicker of the
  /// two is the one that was predicted to be.
  [[nodiscard]] bool on_right_side() const { return (measured < 1) == (predicted < 1); }
};

/// How many figures of a table went into a prediction, and how many were predicted.
struct FigureCounts {
  std::string table;
  int inputs = 0;
  int fitted = 0;     ///< figures to which a value was fitted
  int predicted = 0;  ///< all others
  int unjudged = 0;   ///< predicted figures that no bound of the scenario counts

  bool operator==(const FigureCounts&) const = default;
};

/// A file, read.
struct SourceText {
  std::string path;  ///< as errors name it
  std::string text;
};

/// The input of a rule, and the measurements that it is compared with.
struct Evidence {
  std::vector<SourceText> seen;      ///< origin of the parameters; empty where the rule parts the measured
  std::vector<SourceText> measured;  ///< measurements to predict; at least one
  std::vector<SourceText> machines = {};  ///< descriptions of the hardware, where the rule needs them
};

using files::file_name;

/// `1048576 B`.
std::string size_label(netmodels::Bytes size);

}  // namespace calibrate::ledger
