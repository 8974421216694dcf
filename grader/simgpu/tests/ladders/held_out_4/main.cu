/// @file
/// The fourth held-out set, written when the third had been seen: other kernels than in the sets before, of
/// the same kind, most of them single kernels as authors of lessons, small benchmarks and programs of science
/// write them. It is measured on a card once, after the model was frozen, and never tuned to. None of it was
/// run on the model for its time while it was written.
///
///     held_out_4 [FILTER] [--csv FILE]
#include "held_out_4.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_4;
  for (const auto run_class :
       {copies,   gathers,      records,   orders,   reductions, products,  sparse,   sorts,
        counters, local_arrays, constants, pictures, stencils,   exchanges, loops,    arithmetic,
        chances,  asynchronous, clusters,  grids,    letters,    programs,  transfers})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
