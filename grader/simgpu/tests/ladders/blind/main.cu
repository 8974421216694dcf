/// @file
/// The blind set: kernels that are measured on a card once, after the model was frozen, and never tuned to (fresh.cu and unseen.cu
/// have been looked at). None of them was run on the model for its time while it was written.
///
///     blind [FILTER] [--csv FILE]
///
/// runs on a card in less than a minute. A kernel that faults or gives wrong values is named, and the others are measured.
#include "blind.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  for (const auto run_class :
       {blind::streams,        blind::reductions,   blind::scans,       blind::products,
        blind::small_products, blind::shared_bound, blind::issue_bound, blind::shared_atomics,
        blind::global_atomics, blind::local_arrays, blind::gathers,     blind::sparse,
        blind::images,         blind::image_arrays, blind::constants,   blind::asynchronous,
        blind::bulk,           blind::clusters,     blind::grids,       blind::arithmetic,
        blind::stencils,       blind::sorts,        blind::bytes,       blind::bodies,
        blind::transfers})
    run_class(set);
  return set.bench.wrong() == 0 ? 0 : 1;
}
