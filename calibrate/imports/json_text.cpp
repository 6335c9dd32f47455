// Reads JSON that other programs wrote.
#include "calibrate/imports/json_text.hpp"

#include "files/json_limits.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {

netmodels::Result<nlohmann::json> parse_json(std::string_view text, const std::string& source) {
  if (auto limited = files::check_json(text, source); !limited) return tl::unexpected(limited.error());
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return netmodels::refuse(files::place_of_byte(source, text, error.byte),
                             "the JSON is invalid or truncated here", "use the complete file");
  } catch (const nlohmann::json::out_of_range&) {
    return netmodels::refuse(source, "the JSON has a number that is too large");
  }
}

}  // namespace calibrate::imports
