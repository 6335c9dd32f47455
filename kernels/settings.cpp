// Ranges of the settings, and the texts of what is outside them.
#include "kernels/settings.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace kernels {
namespace {

std::string error_text(std::string_view key, double value, std::string_view accepted) {
  std::string number = std::to_string(value);
  if (std::isfinite(value) && value == std::trunc(value)) number.resize(number.find('.'));
  return std::string(key) + " " + number + " is outside " + std::string(accepted);
}

std::optional<std::string> validate_sizes(std::string_view key, std::span<const std::int64_t> sizes) {
  const auto wrong = std::ranges::find_if(sizes, [](std::int64_t size) { return size < 0; });
  if (wrong == sizes.end()) return std::nullopt;
  return error_text(key, static_cast<double>(*wrong), "[0, ...)");
}

/// Error of the settings that are whole numbers; nothing: none.
std::optional<std::string> validate_counts(const Settings& settings) {
  if (settings.index_bytes != 4 && settings.index_bytes != 8) {
    return "index_bytes " + std::to_string(settings.index_bytes) + " is not 4 or 8";
  }
  if (settings.levels < 1 || settings.levels > 127) return error_text("levels", settings.levels, "[1, 127]");
  if (settings.bucket < 1) return error_text("bucket", static_cast<double>(settings.bucket), "[1, ...)");
  if (settings.block < 1) return error_text("block", static_cast<double>(settings.block), "[1, ...)");
  if (settings.rank < 1) return error_text("rank", settings.rank, "[1, ...)");
  const Shape& shape = settings.shape;
  if (shape.rows < 0 || shape.columns < 0 || (shape.rows == 0) != (shape.columns == 0)) {
    return "shape " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
           " is not a matrix; both positive, or 0 x 0 for one as square as possible";
  }
  if (auto wrong = validate_sizes("layer size", settings.layer_sizes)) return wrong;
  return validate_sizes("tensor size", settings.tensor_sizes);
}

}  // namespace

std::optional<std::string> validate(const Settings& settings) {
  // Written so that NaN is refused too.
  if (!(settings.ratio > 0 && settings.ratio <= 1)) return error_text("ratio", settings.ratio, "(0, 1]");
  if (!(settings.first_ratio > 0 && settings.first_ratio <= 1)) {
    return error_text("first_ratio", settings.first_ratio, "(0, 1]");
  }
  if (!(settings.threshold >= 0 && std::isfinite(settings.threshold))) {
    return error_text("threshold", settings.threshold, "[0, infinity)");
  }
  if (settings.clip && !(*settings.clip > 0)) return error_text("clip", *settings.clip, "(0, infinity)");
  return validate_counts(settings);
}

}  // namespace kernels
