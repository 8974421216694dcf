/// @file
/// A sum over the whole grid in one cooperative launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "buffer.cuh"

namespace cg = cooperative_groups;

__global__ void normalise(float* data, int n, double* sum) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  double mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += data[i];
  mine = cg::reduce(warp, mine, cg::plus<double>());
  if (warp.thread_rank() == 0) atomicAdd(sum, mine);
  grid.sync();
  const float total = static_cast<float>(*sum);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) data[i] /= total;
}

int main() {
  int n = 10000, device = 0, supported = 0, per_sm = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
  if (!supported) return verdict(false);
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, normalise, 128, 0));
  Buffer<float> data(std::vector<float>(n, 4.0f));
  Buffer<double> sum(1);
  sum.clear();
  float* d_data = data;
  double* d_sum = sum;
  void* arguments[] = {&d_data, &n, &d_sum};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(normalise),
                                    dim3(properties.multiProcessorCount * min(per_sm, 2)), dim3(128),
                                    arguments));
  CHECK_LAUNCH();
  bool right = sum.host()[0] == 4.0 * n;
  for (const float v : data.host()) right = right && v == 4.0f / (4.0f * n);
  return verdict(right);
}
