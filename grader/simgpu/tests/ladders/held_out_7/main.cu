/// @file
/// The seventh held-out set, written blind: other kernels than in the sets before, as authors of textbooks,
/// sample collections, benchmarks and small programs of science write them. It is measured on a card once,
/// after the model was frozen, and never tuned to. None of it was run on the model for its time while it was
/// written.
///
///     held_out_7 [FILTER] [--csv FILE]
#include "held_out_7.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_7;
  for (const auto run_class :
       {constants,     atomics,       histograms, local_arrays, scatters,   textures,   sparse,
        library_calls, library_picks, structs,    products,     transposes, occupancy,  branches,
        launches,      transfers,     stencils,   layers,       orders,     reductions, codes,
        spectra,       simulations,   tensors,    asynchronous})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
