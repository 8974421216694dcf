/// @file
/// The eighth held-out set, written blind: other kernels than in the sets before, as authors of textbooks,
/// sample collections, benchmarks, games and networks write them. It is measured on a card once, after the
/// model was frozen, and never tuned to. None of it was run on the model for its time while it was written.
///
///     held_out_8 [FILTER] [--csv FILE]
#include "held_out_8.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_8;
  for (const auto run_class :
       {tables, scatters, images, library_calls, matrices, fields, blocks, loops, calls})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
