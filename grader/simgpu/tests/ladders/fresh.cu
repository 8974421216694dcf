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

/// All of it, or the class that LADDER_CLASS in the environment names.
int main(int argc, char** argv) {
  Fresh fresh(argc, argv);
  const char* wanted = std::getenv("LADDER_CLASS");
  const auto run = [&](const char* name, void (Fresh::*cases)()) {
    if (wanted == nullptr || std::strcmp(wanted, name) == 0) (fresh.*cases)();
  };
  run("streams", &Fresh::streams);
  run("bits", &Fresh::bits);
  run("arithmetic", &Fresh::arithmetic);
  run("matrices", &Fresh::matrices);
  run("reductions", &Fresh::reductions);
  run("atomics", &Fresh::atomics);
  run("local", &Fresh::local);
  run("random", &Fresh::random);
  run("textures", &Fresh::textures);
  run("copies", &Fresh::copies);
  run("clusters", &Fresh::clusters);
  run("tails", &Fresh::tails);
  run("stencils", &Fresh::stencils);
  return fresh.wrong() == 0 ? 0 : 1;
}
