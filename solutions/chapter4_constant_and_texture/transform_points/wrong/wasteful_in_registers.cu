// expect: wasteful|too_slow
// says: from other global memory
/// @file
/// transform_points: points that move by eight matrices, the same for all of them. The one file of this exercise that
/// is edited and handed in; the contract is in transform_points.cuh, the task in README.md.
#include "transform_points.cuh"

// >>> your code
constexpr int matrices_of_motion = 8;
constexpr int entries = 16;  // of a matrix: 4 rows of 4
constexpr unsigned int block_threads = 256;
constexpr int points_a_thread = 16;

/// Moves 16 points a thread, a block apart, with the matrices in registers. Right, and at most 3 load requests for 32
/// points; but the matrices still come through a pointer, and their 128 registers leave an SM with few warps.
/// Launch contract: one-dimensional grid of at least n / 16 threads, rounded up to whole blocks.
__global__ void transform(const float4* in, float4* out, std::size_t n, const float4* rows) {
  float motion[matrices_of_motion * entries];
#pragma unroll
  for (int k = 0; k < matrices_of_motion * 4; ++k) {
    const float4 row = rows[k];
    motion[4 * k] = row.x, motion[4 * k + 1] = row.y;
    motion[4 * k + 2] = row.z, motion[4 * k + 3] = row.w;
  }
  const std::size_t first = std::size_t{blockIdx.x} * block_threads * points_a_thread + threadIdx.x;
#pragma unroll 1
  for (int turn = 0; turn < points_a_thread; ++turn) {
    const std::size_t i = first + turn * std::size_t{block_threads};
    if (i >= n) return;
    const float4 point = in[i];
    const float with[4] = {point.x, point.y, point.z, 1.0f};
    float moved[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float sum = 0.0f;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        float entry = motion[(matrices_of_motion - 1) * entries + 4 * r + c];
#pragma unroll
        for (int k = matrices_of_motion - 2; k >= 0; --k)
          entry = entry * point.w + motion[k * entries + 4 * r + c];
        sum += entry * with[c];
      }
      moved[r] = sum;
    }
    out[i] = float4{moved[0], moved[1], moved[2], moved[3]};
  }
}

/// Where the matrices are.
static const float* current_motion = nullptr;

extern "C" void transform_points_setup(const float* matrices, cudaStream_t) {
  current_motion = matrices;
}

extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t a_block = std::size_t{block_threads} * points_a_thread;
  transform<<<static_cast<unsigned int>((n + a_block - 1) / a_block), block_threads, 0, stream>>>(
      in, out, n, reinterpret_cast<const float4*>(current_motion));
}

extern "C" void transform_points_matrices(float* matrices, cudaStream_t stream) {
  cudaMemcpyAsync(matrices, current_motion, matrices_of_motion * entries * sizeof(float),
                  cudaMemcpyDeviceToDevice, stream);
}
// <<< your code
