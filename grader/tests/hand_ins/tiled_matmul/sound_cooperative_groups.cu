// expect: pass
/// @file
/// Tiles of 16 x 16, met at by cooperative groups, the slices walked by a block of 256 threads in one dimension.
#include "tiled_matmul.cuh"

#include <cooperative_groups.h>

namespace {

constexpr int side = 16;

__global__ void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                         std::size_t k) {
  const auto block = cooperative_groups::this_thread_block();
  __shared__ float left[side][side], right[side][side];
  const unsigned int x = block.thread_rank() % side, y = block.thread_rank() / side;
  const std::size_t row = std::size_t{blockIdx.y} * side + y, col = std::size_t{blockIdx.x} * side + x;
  float sum = 0.0f;
  for (std::size_t slice = 0; slice < k; slice += side) {
    left[y][x] = row < m && slice + x < k ? a[row * k + slice + x] : 0.0f;
    right[y][x] = slice + y < k && col < n ? b[(slice + y) * n + col] : 0.0f;
    block.sync();
    for (int l = 0; l < side; ++l) sum = fmaf(left[y][l], right[l][x], sum);
    block.sync();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

}  // namespace

extern "C" void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                                 std::size_t k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks(static_cast<unsigned int>((n + side - 1) / side),
                    static_cast<unsigned int>((m + side - 1) / side));
  multiply<<<blocks, side * side, 0, stream>>>(a, b, c, m, n, k);
}
