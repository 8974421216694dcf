/// @file
/// The sixth held-out set, written when the fifth had been seen: other kernels than in the sets before, a
/// broad look at what authors of lessons, benchmarks and small programs of science write. It is measured on a
/// card once, after the model was frozen, and never tuned to. None of it was run on the model for its time
/// while it was written.
///
///     held_out_6 [FILTER] [--csv FILE]
#include "held_out_6.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  using namespace held_out_6;
  for (const auto run_class :
       {vectors,         structs,    indices,  sparse,        transposes,    products,   tensors,
        vector_products, reductions, scans,    library_steps, library_calls, histograms, atomics,
        local_arrays,    constants,  textures, stencils,      convolutions,  pictures,   branches,
        integers,        halves,     bodies,   chances,       sorts,         tables,     graphs,
        solvers,         chains,     groups,   asynchronous,  clusters,      launches,   transfers})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
