// expect: pass
/// @file
/// Sound in another style: rows as float4 in constant memory, a loop over the grid, cooperative groups, and copies of the matrices by way of
/// the host.
#include <cooperative_groups.h>

#include "transform_points.cuh"

constexpr int matrices_of_motion = 8;
constexpr int rows_of_motion = 4 * matrices_of_motion;

__constant__ float4 rows[rows_of_motion];

__device__ float4 scaled_and_added(float4 a, float t, float4 b) {
  return {a.x * t + b.x, a.y * t + b.y, a.z * t + b.z, a.w * t + b.w};
}

__global__ void transform(const float4* in, float4* out, std::size_t n) {
  const auto grid = cooperative_groups::this_grid();
  for (std::size_t i = grid.thread_rank(); i < n; i += grid.num_threads()) {
    const float4 point = __ldcs(in + i);
    float moved[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float4 row = rows[rows_of_motion - 4 + r];
#pragma unroll
      for (int k = rows_of_motion - 8 + r; k >= 0; k -= 4) row = scaled_and_added(row, point.w, rows[k]);
      moved[r] = row.x * point.x + row.y * point.y + row.z * point.z + row.w;
    }
    __stcs(out + i, float4{moved[0], moved[1], moved[2], moved[3]});
  }
}

extern "C" void transform_points_setup(const float* matrices, cudaStream_t stream) {
  float4 host[rows_of_motion];
  cudaMemcpyAsync(host, matrices, sizeof(host), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpyToSymbol(rows, host, sizeof(host));
}

extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  int device = 0, multiprocessors = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, transform, 256, 0);
  transform<<<multiprocessors * blocks, 256, 0, stream>>>(in, out, n);
}

extern "C" void transform_points_matrices(float* matrices, cudaStream_t stream) {
  float4 host[rows_of_motion];
  cudaMemcpyFromSymbol(host, rows, sizeof(host));
  cudaMemcpyAsync(matrices, host, sizeof(host), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
