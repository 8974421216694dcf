/// @file
/// The eighteenth held-out set, written blind: 43 kernels and small programs, other ones than in the sets
/// before, as a course on CUDA and memory has them. None of it was run on the model for its time while it was
/// written.
///
///     held_out_18 [FILTER] [--csv FILE]
#include "held_out_18.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_18;
  for (const auto run_class : {streams, places, products, stencils, sums, sparse, images, tables, loops,
                               blocks, calls, library_calls})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
