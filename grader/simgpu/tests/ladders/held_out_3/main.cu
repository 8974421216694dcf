/// @file
/// The third held-out set, written when the second had been seen: other kernels than in the blind set and the second one, of the same
/// kind, whole small programs as an outsider would time them. It is measured on a card once, after the model was frozen, and never tuned
/// to. None of it was run on the model for its time while it was written.
///
///     held_out_3 [FILTER] [--csv FILE]
#include "held_out_3.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_3;
  for (const auto run_class :
       {widths,  look_ups, turns,    reductions,   scans,        histograms, sorts,      products, systems,
        spectra, stencils, tables,   pictures,     local_arrays, branches,   arithmetic, letters,  hashing,
        atomics, banks,    clusters, asynchronous, grids,        bodies,     graphs,     transfers})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
