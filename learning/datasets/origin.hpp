// Where a published data set comes from, in words for people.
#pragma once

#include <string>

namespace learning::datasets {

/// What a loader writes into the data set that it reads, and says where files are missing.
struct Origin {
  std::string name;        ///< "mnist"
  std::string provenance;  ///< one line: who made it, where it was published, licence
  std::string get;         ///< how to come by its files; the mend of a missing one
};

}  // namespace learning::datasets
