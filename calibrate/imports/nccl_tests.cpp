// Import of what nccl-tests measured, from its text or its JSON.
#include "calibrate/imports/nccl_tests.hpp"

namespace calibrate::imports {

netmodels::Result<Imported> import_nccl_tests(std::string_view text, const std::string& source,
                                              const LogHints& hints) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  GRADSIM_TRY(log, is_json ? read_nccl_tests_json(text, source) : read_nccl_tests_text(text, source));
  return to_measurements(*log, hints);
}

}  // namespace calibrate::imports
