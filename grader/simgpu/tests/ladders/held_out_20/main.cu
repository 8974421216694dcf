/// @file
/// The twentieth held-out set, written blind: 43 kernels and small programs, other ones than in the sets
/// before, as a course on CUDA and memory has them. None of it was run on the model for its time while it was
/// written.
///
///     held_out_20 [FILTER] [--csv FILE]
#include "held_out_20.hpp"

int main(int argc, char** argv) {
  blind::Set set(argc, argv);
  return held_out_20::run_groups(set);
}
