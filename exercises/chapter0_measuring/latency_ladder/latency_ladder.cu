/// @file
/// latency_ladder: how long one load takes, from each level of the memory hierarchy. The one file of this exercise that
/// is edited and handed in; the contract is in latency_ladder.cuh, the task in README.md.
#include "latency_ladder.cuh"

// >>> your code
/// What setup leaves for run and teardown.
struct latency_ladder_state {
  int level = level_shared;
  std::size_t lines = 0;
  // TODO: what else run has to know.
};

// TODO: a kernel of one thread that walks the chain, reads the SM's clock before and after, and leaves both
// figures where the host can fetch them. Each load must wait for the one before. Which level answers a load is
// a matter of how large the chain is, of how you load, and for shared memory of where the chain stands.

extern "C" latency_ladder_state* latency_ladder_setup(const std::uint32_t* order, std::size_t lines,
                                                      int level) {
  // TODO: build the chain in device memory, one element in each line of 128 bytes.
  return new latency_ladder_state{level, lines};
}

extern "C" int latency_ladder_run(latency_ladder_state* state, std::size_t first, std::size_t hops,
                                  double* cycles, std::uint32_t* end, cudaStream_t stream) {
  // TODO: launch the walk and bring the figures back.
  return cudaSuccess;
}

extern "C" void latency_ladder_teardown(latency_ladder_state* state) {
  delete state;  // TODO: and free what else it holds
}
// <<< your code
