/// @file
/// The second held-out set: what a programmer would time first on a card that he does not know, as kernels of whole small programs.
/// Like the blind set, which has been seen by now, it is measured on a card once, after the model was frozen, and never tuned to.
/// None of it was run on the model for its time while it was written.
///
///     held_out_2 [FILTER] [--csv FILE]
#include "held_out_2.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_2;
  for (const auto run_class :
       {streams,      strides,   gathers, transposes,   reductions, scans,      histograms, products,
        stencils,     constants, images,  local_arrays, branches,   arithmetic, banks,      clusters,
        asynchronous, grids,     bodies,  sorts,        sparse,     letters,    transfers})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
