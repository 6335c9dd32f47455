// Opens the module with MPI.
#include "sim/sweep/rank_mail.hpp"

#include <stdexcept>

#include "files/module.hpp"

namespace sim::sweep {

std::unique_ptr<RankMail> RankMail::join() {
#if GRADSIM_HAS_RANKS
  using Entry = RankMail*();
  return std::unique_ptr<RankMail>(files::open_module<Entry>("gradsim_mpi")());
#else
  throw std::runtime_error("this build has no MPI: install libboost-mpi-dev, configure and build anew");
#endif
}

}  // namespace sim::sweep
