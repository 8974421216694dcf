// expect: wasteful|wrong_result
/// @file
/// latency_ladder: how long one load takes, from each level of the memory hierarchy. The one file of this exercise that
/// is edited and handed in; the contract is in latency_ladder.cuh, the task in README.md.
#include "latency_ladder.cuh"

// >>> your code
#include <vector>

/// A line of the chain. Its element holds the address of the next line: what a load brings is what the next one
/// needs, with no arithmetic between them that would count as latency.
struct alignas(line_bytes) line {
  const line* next;
};

/// What a walk found. Lives in device memory.
struct walked {
  long long cycles;   // of all hops together
  std::uint32_t end;  // number of the last line
};

/// What setup leaves for run and teardown.
struct latency_ladder_state {
  int level = level_shared;
  std::vector<std::uint32_t> order;
  line* chain = nullptr;     // device memory, one for each number of the order
  walked* result = nullptr;  // device memory
  void* sweep = nullptr;     // device memory, twice as large as L2: to write it pushes everything else out
  std::size_t sweep_bytes = 0;
};

constexpr std::size_t most_shared_lines = 256;

/// Where p->next leads, asked of the L1 or past it.
template <bool past_l1>
__device__ const line* next_of(const line* p) {
  // The address is read as a number, since the hint takes numbers only.
  const auto* const element = reinterpret_cast<const unsigned long long*>(&p->next);
  return reinterpret_cast<const line*>(past_l1 ? __ldcg(element) : *element);
}

/// Right, but 32 lanes walk 32 chains at a time: one waits while 31 others wait with it, and the time of one
/// load is not seen. Walks `warm_up` hops, then `hops` more with a look at the clock before and after.
/// Launch contract: one warp.
template <bool past_l1>
__global__ void walk_kernel(const line* chain, std::uint32_t start, std::size_t warm_up, std::size_t hops,
                            walked* result) {
  // Lane 0 begins where it should, the others wherever they come to stand.
  const line* p = chain + start;
  for (unsigned int k = 0; k < threadIdx.x; ++k) p = next_of<past_l1>(p);
  for (std::size_t k = 0; k < warm_up; ++k) p = next_of<past_l1>(p);
  const long long begun = clock64();
  for (std::size_t k = 0; k < hops; ++k) p = next_of<past_l1>(p);
  const long long ended = clock64();
  const auto end = static_cast<std::uint32_t>(p - chain);
  if (__reduce_add_sync(0xffffffffu, end) == 0xffffffffu) return;  // the other lanes' ends are used as well
  if (threadIdx.x == 0) *result = {ended - begun, end};
}

/// The same in shared memory, where an element holds how many bytes lie between the chain's start and the next
/// element.
/// Launch contract: one thread, at most most_shared_lines lines.
__global__ void walk_shared_kernel(const line* chain, unsigned int lines, std::uint32_t start,
                                   std::size_t hops, walked* result) {
  alignas(16) __shared__ unsigned char copy[most_shared_lines * line_bytes];
  for (unsigned int l = 0; l < lines; ++l)
    *reinterpret_cast<std::uint32_t*>(copy + l * line_bytes) =
        static_cast<std::uint32_t>((chain[l].next - chain) * line_bytes);

  std::uint32_t at = start * line_bytes;
  const long long begun = clock64();
  for (std::size_t k = 0; k < hops; ++k) at = *reinterpret_cast<const std::uint32_t*>(copy + at);
  const long long ended = clock64();
  *result = {ended - begun, static_cast<std::uint32_t>(at / line_bytes)};
}

extern "C" latency_ladder_state* latency_ladder_setup(const std::uint32_t* order, std::size_t lines,
                                                      int level) {
  auto* const state = new latency_ladder_state{level, {order, order + lines}};
  const std::size_t bytes = lines * line_bytes;
  bool built = cudaMalloc(&state->chain, bytes) == cudaSuccess &&
               cudaMalloc(&state->result, sizeof(walked)) == cudaSuccess;
  if (built && level == level_dram) {
    int l2_bytes = 0;
    built = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0) == cudaSuccess;
    state->sweep_bytes = 2 * static_cast<std::size_t>(l2_bytes);
    built = built && cudaMalloc(&state->sweep, state->sweep_bytes) == cudaSuccess;
  }
  if (built) {
    std::vector<line> chain(lines);  // as it will stand in device memory, with addresses that hold there
    for (std::size_t k = 0; k < lines; ++k) chain[order[k]].next = state->chain + order[(k + 1) % lines];
    built = cudaMemcpy(state->chain, chain.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  }
  if (built) return state;
  latency_ladder_teardown(state);
  return nullptr;
}

extern "C" int latency_ladder_run(latency_ladder_state* state, std::size_t first, std::size_t hops,
                                  double* cycles, std::uint32_t* end, cudaStream_t stream) {
  if (state == nullptr) return cudaErrorInvalidValue;
  const std::size_t lines = state->order.size();
  const std::uint32_t start = state->order[first];
  if (state->level == level_shared) {
    walk_shared_kernel<<<1, 1, 0, stream>>>(state->chain, static_cast<unsigned int>(lines), start, hops,
                                            state->result);
  } else if (state->level == level_l1) {
    // A cache has to hold the chain before it can answer: once around, back to where the walk begins. In the
    // same kernel, since each launch finds the L1 empty.
    walk_kernel<false><<<1, 32, 0, stream>>>(state->chain, start, lines, hops, state->result);
  } else if (state->level == level_l2) {
    walk_kernel<true><<<1, 32, 0, stream>>>(state->chain, start, lines, hops, state->result);
  } else {
    // The other way round: what the copy or the walk before has left in L2 must go.
    const cudaError_t swept = cudaMemsetAsync(state->sweep, 0, state->sweep_bytes, stream);
    if (swept != cudaSuccess) return swept;
    walk_kernel<true><<<1, 32, 0, stream>>>(state->chain, start, 0, hops, state->result);
  }

  walked result = {};
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(&result, state->result, sizeof(result), cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return error;
  // Of each lane's own hops, in the walks by a warp.
  const double lanes = state->level == level_shared ? 1 : 32;
  *cycles = static_cast<double>(result.cycles) / (lanes * static_cast<double>(hops));
  *end = result.end;
  return cudaSuccess;
}

extern "C" void latency_ladder_teardown(latency_ladder_state* state) {
  if (state == nullptr) return;
  cudaFree(state->chain);
  cudaFree(state->result);
  cudaFree(state->sweep);
  delete state;
}
// <<< your code
