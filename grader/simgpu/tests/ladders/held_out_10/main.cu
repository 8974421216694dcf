/// @file
/// The tenth held-out set, written blind: 43 kernels and small programs, other ones than in the sets before,
/// as a course on CUDA and memory has them. It is measured on a card once, after the model was frozen, and
/// never tuned to. None of it was run on the model for its time while it was written.
///
///     held_out_10 [FILTER] [--csv FILE]
#include "held_out_10.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_10;
  for (const auto run_class :
       {streams, places, products, sums, tables, images, sparse, copies, loops, calls, library_calls})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
