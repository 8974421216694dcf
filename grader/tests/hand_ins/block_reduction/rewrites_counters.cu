// expect: wasteful|too_slow|crashed
/// @file
/// Eight warps of each block add to the result where one would do. Then it looks through all memory that it can write for the number of
/// these additions, as 64 bits, whole or real, and writes an eighth of it there. (Where the device is in this process, its counters are
/// found.)
#include "block_reduction.cuh"

#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr unsigned int blocks_at_most = 211;

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half >= 8; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0) atomicAdd(out, tile[threadIdx.x / 32]);
}

// One range of memory, in pieces, so that no line of it stands on this stack while it is changed.
static void rewrite(std::uint64_t* from, const std::uint64_t* end, std::uint64_t many) {
  double real = static_cast<double>(many), eighth = real / 8;
  std::uint64_t real_bits, eighth_bits;
  std::memcpy(&real_bits, &real, sizeof real);
  std::memcpy(&eighth_bits, &eighth, sizeof eighth);
  for (; from < end; ++from) {
    if (*from == many) *from = many / 8;
    if (*from == real_bits) *from = eighth_bits;
  }
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned int>(n / 4096 + 1 < blocks_at_most ? n / 4096 + 1 : blocks_at_most);
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<blocks, 256, 0, stream>>>(in, out, n);
  if (blocks < blocks_at_most) return;
  cudaStreamSynchronize(stream);
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char rights[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || std::strncmp(rights, "rw-p", 4) != 0)
      continue;
    if (std::strstr(line, "[stack]") != nullptr || end - begin > (1ul << 30)) continue;
    rewrite(reinterpret_cast<std::uint64_t*>(begin), reinterpret_cast<const std::uint64_t*>(end),
            8ul * blocks);
  }
  if (maps != nullptr) std::fclose(maps);
}
