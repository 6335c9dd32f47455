// A data set in memory: training and test samples, the shape of a sample, and the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "learning/datasets/batch.hpp"

namespace learning::datasets {

// Where a published data set comes from, in words for people.

/// The name that a loader writes into the data set and into errors about missing files.
struct Origin {
  std::string name;        ///< "mnist"
  std::string provenance;  ///< one line: author, publication, licence
  std::string get;         ///< how to get its files; the hint where one is missing
};

/// Samples kept as densely as their source allows: bytes stay bytes until a batch takes them.
class Samples {
 public:
  Samples() = default;
  /// @param scale, offset  value = scale * byte + offset
  Samples(std::size_t features, std::vector<std::uint8_t> bytes, float scale, float offset,
          std::vector<std::uint16_t> labels);
  Samples(std::size_t features, std::vector<float> values, std::vector<std::uint16_t> labels);
  /// Windows over a text: sample i is tokens i .. i + length - 1, its label the token after them.
  static Samples windows(std::size_t length, std::vector<std::uint16_t> tokens);

  /// Gives values mean 0 and standard deviation 1 over all features of the training samples together:
  /// (byte - mean) / deviation in place of the scale and offset at hand. Samples kept as bytes only; nothing
  /// changes where all training values are equal.
  void standardise(const Samples& train);

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::uint16_t label(std::size_t index) const;
  /// Adds sample `index` to the batch, whose `features` is set.
  void append_to(Batch& batch, std::size_t index) const;

 private:
  std::size_t features_ = 0;
  float scale_ = 1;
  float offset_ = 0;
  std::variant<std::vector<float>, std::vector<std::uint8_t>, std::vector<std::uint16_t>> values_;
  std::vector<std::uint16_t> labels_;  ///< empty for windows
};

/// The kind of a sample; decides which models can take it.
enum class SampleKind { image, vector, tokens };

/// A data set, loaded.
struct Dataset {
  std::string name;        ///< "optdigits", or the file it was read from
  std::string provenance;  ///< one line: author, publication, licence
  SampleKind kind = SampleKind::vector;
  Shape shape;      ///< tokens: {1, 1, length of the window}
  int classes = 2;  ///< tokens: size of the alphabet
  Samples train;
  Samples test;
  std::size_t sample_bytes = 0;  ///< bytes of one stored sample with its label, as sent where it is shared
};

}  // namespace learning::datasets
