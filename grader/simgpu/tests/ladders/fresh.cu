/// @file
/// Kernels of many classes, each checked for its values. They were written without running any of them on the model for its times, measured
/// once, and looked at since: an ordinary set now (clock_test.cpp holds its bounds). fresh_test.cpp holds what was recorded then.
///
/// What is done and what is counted shrink with the slice alike: sizes come from the arrays, grids from the SMs, and what does
/// not shrink (a row's width, a kernel's window) is in no figure but as a factor of something that does.
#include "fresh/arithmetic.cuh"
#include "fresh/atomics.cuh"
#include "fresh/bits.cuh"
#include "fresh/clusters.cuh"
#include "fresh/copies.cuh"
#include "fresh/local.cuh"
#include "fresh/matrices.cuh"
#include "fresh/random.cuh"
#include "fresh/reductions.cuh"
#include "fresh/stencils.cuh"
#include "fresh/streams.cuh"
#include "fresh/tails.cuh"
#include "fresh/textures.cuh"

int main(int argc, char** argv) {
  Fresh fresh(argc, argv);
  fresh.streams();
  fresh.bits();
  fresh.arithmetic();
  fresh.matrices();
  fresh.reductions();
  fresh.atomics();
  fresh.local();
  fresh.random();
  fresh.textures();
  fresh.copies();
  fresh.clusters();
  fresh.tails();
  fresh.stencils();
  return fresh.wrong() == 0 ? 0 : 1;
}
