// The compression method of what is sent: a row of the table of compressors in place of its name.
#pragma once

#include <concepts>
#include <string_view>

namespace kernels {

struct Entry;

/// A row of the table of compressors; two are equal where their rows are the same. Names of rows in code
/// convert to it; text of a file is looked up by `find` or `find_wire_format` first, which know what to do
/// with others.
class Method {
 public:
  /// The gradient as it is.
  Method();
  /// @param row  of `catalogue()`
  Method(const Entry& row) : row_(&row) {}
  /// @param name  of a row
  Method(std::string_view name);
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> Method(const Text& name)
      : Method(std::string_view(name)) {}

  [[nodiscard]] const Entry& operator*() const { return *row_; }
  [[nodiscard]] const Entry* operator->() const { return row_; }
  [[nodiscard]] std::string_view name() const;
  /// Whether something else than the gradient as it is is sent.
  [[nodiscard]] bool compresses() const;
  bool operator==(const Method&) const = default;

 private:
  const Entry* row_;
};

}  // namespace kernels
