// Sums: shared memory, warp shuffles, atomics, cooperative groups, and one launch with a grid-wide barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include "program.hpp"
namespace cg = cooperative_groups;

__global__ void tree(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  part[threadIdx.x] = (i < n ? in[i] : 0) + (i + int(blockDim.x) < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

__global__ void shuffles(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  __shared__ int warps[32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

__global__ void groups(const int* in, int* out, int n) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const auto small = cg::tiled_partition<8>(block);
  int sum = 0;
  for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) sum += in[i];
  const int eight = cg::reduce(small, sum, cg::plus<int>());
  const int all = cg::reduce(tile, small.thread_rank() == 0 ? eight : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(out, all);
  const auto active = cg::coalesced_threads();
  if (active.size() != 32) *out = -1;
}

__global__ void whole_grid(const int* in, int* partial, int* out, int n) {
  const auto grid = cg::this_grid();
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  atomicAdd(&part, sum);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = part;
  grid.sync();
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}

int main() {
  const int n = 100003;
  std::vector<int> in(n);
  long expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = (i * 37) % 101 - 20;
  int *d = to_device(in), *out = nullptr, *partial = nullptr;
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMalloc(&partial, 1024 * sizeof(int)));
  for (int variant = 0; variant < 4; ++variant) {
    CHECK(cudaMemset(out, 0, sizeof(int)));
    if (variant == 0) tree<<<(n + 511) / 512, 256, 256 * sizeof(int)>>>(d, out, n);
    if (variant == 1) shuffles<<<40, 256>>>(d, out, n);
    if (variant == 2) groups<<<40, 128>>>(d, out, n);
    if (variant == 3) {
      int can = 0, per_sm = 0, sms = 0;
      CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
      EXPECT(can == 1);
      CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, whole_grid, 128, 0));
      int size = n;
      void* arguments[] = {&d, &partial, &out, &size};
      CHECK(cudaLaunchCooperativeKernel((void*)whole_grid, std::min(1024, sms * per_sm), 128, arguments, 0,
                                        nullptr));
    }
    CHECK(cudaGetLastError());
    EXPECT(to_host(out, 1)[0] == expected);
  }
  return ok();
}
