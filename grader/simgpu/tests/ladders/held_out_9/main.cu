/// @file
/// The ninth held-out set, written blind: other kernels than in the sets before, as textbooks, courses and
/// libraries of computing, graphics and learning have them. It is measured on a card once, after the model
/// was frozen, and never tuned to. None of it was run on the model for its time while it was written.
///
///     held_out_9 [FILTER] [--csv FILE]
#include "held_out_9.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_9;
  for (const auto run_class : {tables, scatters, images, library_calls, sparse, records, products, blocks,
                               stencils, copies, loops, calls})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
