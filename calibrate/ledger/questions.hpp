// Questions that people ask about accuracy: the rows of the first table of ACCURACY.md, each over some
// entries of the ledger.
#pragma once

#include <span>
#include <string_view>

#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// A question that some entries of a ledger answer.
struct Question {
  std::string_view key;    ///< as entries name it, and the name of its page in docs/accuracy
  std::string_view title;  ///< title of its row, its section and its page
};

/// All of them, in the order of the table.
std::span<const Question> questions();

/// @returns the question with this key, or an Error with an empty `where`
netmodels::Result<const Question*> find_question(std::string_view key);

}  // namespace calibrate::ledger
