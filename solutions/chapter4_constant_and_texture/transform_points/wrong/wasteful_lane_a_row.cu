// expect: wasteful|too_slow constant_passes
// says: asks for 4 different words a request
/// @file
/// transform_points: points that move by eight matrices, the same for all of them. The one file of this exercise that
/// is edited and handed in; the contract is in transform_points.cuh, the task in README.md.
#include "transform_points.cuh"

// >>> your code
constexpr int matrices_of_motion = 8;
constexpr int entries = 16;  // of a matrix: 4 rows of 4
constexpr unsigned int block_threads = 256;
constexpr unsigned int whole_warp = 0xffffffffu;

/// The matrices. Here four lanes share a point, so a request asks for four entries.
__constant__ float motion[matrices_of_motion * entries];

/// A warp loads 32 points in one request. Then four lanes take a point, one component each, eight points at a time.
/// Right, with one load request for 32 points, and stores side by side; but each request to constant memory is served
/// in four passes, for a quarter of the points.
/// Launch contract: one-dimensional grid of at least n threads, whole warps.
__global__ void transform(const float4* in, float* out, std::size_t n) {
  const std::size_t own = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned int lane = threadIdx.x % 32, row = lane % 4;
  const float4 loaded = own < n ? in[own] : float4{0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (unsigned int turn = 0; turn < 4; ++turn) {
    const unsigned int from = 8 * turn + lane / 4;
    const float t = __shfl_sync(whole_warp, loaded.w, from);
    const float with[4] = {__shfl_sync(whole_warp, loaded.x, from), __shfl_sync(whole_warp, loaded.y, from),
                           __shfl_sync(whole_warp, loaded.z, from), 1.0f};
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float entry = motion[(matrices_of_motion - 1) * entries + 4 * row + c];
#pragma unroll
      for (int k = matrices_of_motion - 2; k >= 0; --k) entry = entry * t + motion[k * entries + 4 * row + c];
      sum += entry * with[c];
    }
    const std::size_t i = own - lane + from;
    if (i < n) out[4 * i + row] = sum;
  }
}

extern "C" void transform_points_setup(const float* matrices, cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(motion, matrices, sizeof(motion), 0, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  transform<<<blocks, block_threads, 0, stream>>>(in, reinterpret_cast<float*>(out), n);
}

extern "C" void transform_points_matrices(float* matrices, cudaStream_t stream) {
  cudaMemcpyFromSymbolAsync(matrices, motion, sizeof(motion), 0, cudaMemcpyDeviceToDevice, stream);
}
// <<< your code
