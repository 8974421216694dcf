/// @file
/// What of stores in parts of sectors leaves an SM as one: structs written word by word, behind nothing, a load of global memory or loads of shared
/// memory, by 64 warps an SM. The profiler's counts of each kernel, in the order of their launches (fixtures/h200_stores.csv):
///
///     ncu --csv --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__m_l1tex2xbar_write_sectors.sum stores
#include <cstddef>
#include <cstdio>

#include "ladder.hpp"

namespace {

enum class Behind { nothing, global, shared };
constexpr int kThreads = 512, kBlocksOfSm = 4, kRounds = 16, kTile = 4096;

/// Each lane stores so many words, one after the other, of a struct of its own of @p words of four bytes.
template <int words, int stored, Behind behind>
__global__ void __launch_bounds__(kThreads) structs(const float* in, float* out) {
  __shared__ float tile[behind == Behind::shared ? kTile : 1];
  if constexpr (behind == Behind::shared) {
    for (int k = threadIdx.x; k < kTile; k += kThreads) tile[k] = in[k];
    __syncthreads();
  }
  float value[stored];
  for (int k = 0; k < stored; ++k) value[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t at = (std::size_t{gridDim.x} * round + blockIdx.x) * kThreads + threadIdx.x;
    if constexpr (behind == Behind::global) {
      const float x = in[at];
      for (int k = 0; k < stored; ++k) value[k] = x + static_cast<float>(k);
    }
    if constexpr (behind == Behind::shared)
      for (int k = 0; k < stored; ++k)
        asm volatile(
            "ld.shared.f32 %0, [%1];"
            : "=f"(value[k])
            : "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile + (threadIdx.x + 129 * k) % kTile))));
#pragma unroll
    for (int k = 0; k < stored; ++k)
      asm volatile("st.global.f32 [%0], %1;" : : "l"(out + at * words + k), "f"(value[k]) : "memory");
  }
}

struct Arrays {
  const float* in;
  float* out;
  unsigned blocks;
};
template <int words, Behind behind, int... stored>
void run(const Arrays& a) {
  (structs<words, stored, behind><<<a.blocks, kThreads>>>(a.in, a.out), ...);
}

}  // namespace

int main() {
  int sms = 0;
  ladder::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
  Arrays a{nullptr, nullptr, static_cast<unsigned>(kBlocksOfSm * sms)};
  const std::size_t threads = std::size_t{a.blocks} * kThreads * kRounds;
  float* in = nullptr;
  ladder::check(cudaMalloc(&in, 4 * threads), "input");
  ladder::check(cudaMemset(in, 0, 4 * threads), "input");
  ladder::check(cudaMalloc(&a.out, 4 * 16 * threads), "structs");
  a.in = in;
  run<2, Behind::nothing, 2>(a);
  run<3, Behind::nothing, 2, 3>(a);
  run<4, Behind::nothing, 2, 4>(a);
  run<12, Behind::nothing, 4>(a);
  run<16, Behind::nothing, 8>(a);
  run<2, Behind::global, 2>(a);
  run<3, Behind::global, 3>(a);
  run<4, Behind::global, 2, 4>(a);
  run<5, Behind::global, 2, 5>(a);
  run<6, Behind::global, 2, 6>(a);
  run<7, Behind::global, 7>(a);
  run<8, Behind::global, 2, 4, 8>(a);
  run<12, Behind::global, 2, 12>(a);
  run<2, Behind::shared, 2>(a);
  run<3, Behind::shared, 3>(a);
  run<4, Behind::shared, 2, 4>(a);
  run<6, Behind::shared, 2, 6>(a);
  run<8, Behind::shared, 2, 4, 8>(a);
  run<12, Behind::shared, 12>(a);
  ladder::check(cudaDeviceSynchronize(), "stores");
}
