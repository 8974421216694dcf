// expect: wasteful|wrong_result
/// @file
/// latency_ladder: how long one load takes, from each level of the memory hierarchy. The one file of this exercise that
/// is edited and handed in; the contract is in latency_ladder.cuh, the task in README.md.
#include "latency_ladder.cuh"

// >>> your code
#include <vector>

/// No chain, no walk: four figures from a paper, and the end of the walk looked up in the order.
struct latency_ladder_state {
  int level;
  std::vector<std::uint32_t> order;
};

extern "C" latency_ladder_state* latency_ladder_setup(const std::uint32_t* order, std::size_t lines,
                                                      int level) {
  return new latency_ladder_state{level, {order, order + lines}};
}

/// Something has to run. Launch contract: one thread.
__global__ void nothing_kernel() {}

extern "C" int latency_ladder_run(latency_ladder_state* state, std::size_t first, std::size_t hops,
                                  double* cycles, std::uint32_t* end, cudaStream_t stream) {
  constexpr double published[] = {29, 32, 273, 670};
  nothing_kernel<<<1, 1, 0, stream>>>();
  *cycles = published[state->level];
  *end = state->order[(first + hops) % state->order.size()];
  return cudaStreamSynchronize(stream);
}

extern "C" void latency_ladder_teardown(latency_ladder_state* state) {
  delete state;
}
// <<< your code
