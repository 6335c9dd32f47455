// Lets `sim` start under valgrind, by which its instructions are counted.
#include <boost/math/distributions/normal.hpp>

// Boost fills tables before main() and asks at run time whether a long double holds 1e-800, which valgrind's
// do not. Inlined, the question is answered by the compiler, and the program ends. This file is compiled
// without inlining; programs link it before the libraries that ask the same, so that its code is the one that
// runs.
namespace sim {

double upper_quantile_of_normal(double share);
double upper_quantile_of_normal(double share) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), share));
}

}  // namespace sim
