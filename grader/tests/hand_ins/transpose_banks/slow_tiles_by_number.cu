// expect: too_slow|pass
/// @file
/// Sound, and slow where a tile is mostly empty: one-dimensional grid and blocks that stride over tiles of 64 x 32 in dynamic shared memory.
#include "transpose_banks.cuh"

// Tiles by number, one-dimensional blocks, dynamic shared memory with an odd pitch, 64 x 32 tiles.
template <int H, int W, int T>
__global__ void __launch_bounds__(T)
    k(const float* __restrict__ in, float* __restrict__ out, long long rows, long long cols) {
  extern __shared__ float t[];
  constexpr int P = W + 1;
  const long long across = (cols + W - 1) / W, all = across * ((rows + H - 1) / H);
  for (long long tile = blockIdx.x; tile < all; tile += gridDim.x) {
    const long long r0 = tile / across * H, c0 = tile % across * W;
#pragma unroll
    for (int e = threadIdx.x; e < H * W; e += T) {
      const int r = e / W, c = e % W;
      if (r0 + r < rows && c0 + c < cols) t[r * P + c] = in[(r0 + r) * cols + c0 + c];
    }
    __syncthreads();
#pragma unroll
    for (int e = threadIdx.x; e < H * W; e += T) {
      const int c = e / H, r = e % H;
      if (r0 + r < rows && c0 + c < cols) out[(c0 + c) * rows + r0 + r] = t[r * P + c];
    }
    __syncthreads();
  }
}
extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t s) {
  if (rows * cols == 0) return;
  constexpr int H = 64, W = 32, T = 256;
  const std::size_t tiles = ((rows + H - 1) / H) * ((cols + W - 1) / W);
  k<H, W, T><<<unsigned(tiles < 100000 ? tiles : 100000), T, H*(W + 1) * sizeof(float), s>>>(
      in, out, (long long)rows, (long long)cols);
}
