/// @file
/// Groups of the lanes that happen to be together: one atomic for all of them, groups by label, scans in tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "buffer.cuh"

namespace cg = cooperative_groups;

__device__ int place(int* count) {
  const cg::coalesced_group together = cg::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(together.size()));
  return together.shfl(first, 0) + static_cast<int>(together.thread_rank());
}
__global__ void keep_thirds(const int* from, int* to, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && from[i] % 3 == 0) to[place(count)] = from[i];
}
__global__ void count_labels(const int* from, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto same = cg::labeled_partition(cg::coalesced_threads(), from[i] % 7);
  if (same.thread_rank() == 0) atomicAdd(&bins[from[i] % 7], static_cast<int>(same.size()));
}
__global__ void scan_tiles(int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[threadIdx.x] = cg::exclusive_scan(tile, static_cast<int>(tile.thread_rank()) + 1);
}

int main() {
  constexpr int kCount = 10000;
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = i;
  Buffer<int> from(values), to(kCount), bins(std::vector<int>(8, 0)), scanned(64);
  keep_thirds<<<40, 256>>>(from, to, bins + 7, kCount);
  count_labels<<<40, 256>>>(from, bins, kCount);
  scan_tiles<<<1, 64>>>(scanned);
  CHECK_LAUNCH();
  const std::vector<int> counted = bins.host();
  return verdict(counted[7] == 3334 && counted[0] == 1429 && counted[6] == 1428 && scanned.host()[35] == 6);
}
