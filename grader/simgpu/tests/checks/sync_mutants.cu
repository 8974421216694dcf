/// @file
/// Races in shared and global memory, barriers that not all reach, and waiting without end.
#include <cooperative_groups.h>

#include "mutants.hpp"

namespace cg = cooperative_groups;

// Races in shared memory.
__global__ void reverse(int* x) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];        //~ reverse_unsynced
  x[threadIdx.x] = s[127 - threadIdx.x];  //! reverse_unsynced
}
void reverse_unsynced() {
  reverse<<<1, 128>>>(filled<int>(128));
}

__global__ void reduce(const int* x, int* y) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];  //! reduce_unsynced
  }
  if (threadIdx.x == 0) *y = s[0];
}
void reduce_unsynced() {
  reduce<<<1, 256>>>(filled<int>(256), filled<int>(1));
}

__global__ void transpose(const float* x, float* y, int tiles) {
  __shared__ float t[16][17];
  for (int k = 0; k < tiles; ++k) {
    t[threadIdx.y][threadIdx.x] = x[k * 256 + threadIdx.y * 16 + threadIdx.x];  //! tile_overwritten
    __syncthreads();
    y[k * 256 + threadIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];  //~ tile_overwritten
  }
}
void tile_overwritten() {
  transpose<<<1, dim3(16, 16)>>>(filled<float>(1024), filled<float>(1024), 4);
}

__global__ void stencil(const float* x, float* y) {
  __shared__ float s[130];
  s[threadIdx.x + 1] = x[threadIdx.x];
  if (threadIdx.x == 0) s[0] = s[129] = 0;
  __syncthreads();
  const float left = s[threadIdx.x];               //~ stencil_in_place
  s[threadIdx.x + 1] = left + s[threadIdx.x + 2];  //! stencil_in_place
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x + 1];
}
void stencil_in_place() {
  stencil<<<1, 128>>>(filled<float>(128), filled<float>(128));
}

__global__ void scan(int* x) {
  __shared__ int s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (threadIdx.x >= d) s[threadIdx.x] += s[threadIdx.x - d];  //! scan_one_buffer
    __syncthreads();
  }
  x[threadIdx.x] = s[threadIdx.x];
}
void scan_one_buffer() {
  scan<<<1, 128>>>(filled<int>(128, 1));
}

__global__ void warp_sum(const int* x, int* y) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];  //~ warp_unsynced
  for (int k = 16; k > 0; k >>= 1)
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];  //! warp_unsynced
  if (threadIdx.x == 0) *y = s[0];
}
void warp_unsynced() {
  warp_sum<<<1, 32>>>(filled<int>(32), filled<int>(1));
}

__global__ void two_buffers(const int* x, int* y, int n) {
  __shared__ int s[2][64];
  s[0][threadIdx.x] = x[threadIdx.x];  //~ wrong_buffer
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) s[(k + 1) & 1][threadIdx.x] = x[(k + 1) * 64 + threadIdx.x];  //~ wrong_buffer
    sum += s[k & 1][63 - threadIdx.x];                                           //! wrong_buffer
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
void wrong_buffer() {
  two_buffers<<<1, 64>>>(filled<int>(256), filled<int>(64), 4);
}

__global__ void histogram(const int* x, int* y) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[x[threadIdx.x] & 3] += 1 + threadIdx.x / 32;  //! plain_histogram
  __syncthreads();
  if (threadIdx.x < 4) y[threadIdx.x] = bins[threadIdx.x];
}
void plain_histogram() {
  histogram<<<1, 128>>>(filled<int>(128), filled<int>(4));
}

__global__ void count_odd(const int* x, int* y) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (x[threadIdx.x] & 1) atomicAdd(&count, 1);  //~ read_among_atomics
  if (threadIdx.x == 100) *y = count;            //! read_among_atomics
}
void read_among_atomics() {
  count_odd<<<1, 128>>>(filled<int>(128, 1), filled<int>(1));
}

__global__ void forgotten_start(int* y) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;  //~ start_unsynced
  atomicAdd(&sum, threadIdx.x);   //! start_unsynced
  __syncthreads();
  if (threadIdx.x == 0) *y = sum;
}
void start_unsynced() {
  forgotten_start<<<1, 128>>>(filled<int>(1));
}

// Races in global memory.
__global__ void total(const int* x, int* sum) {
  if (threadIdx.x == 0) *sum += x[blockIdx.x] + 1;  //! total_unguarded
}
void total_unguarded() {
  total<<<8, 32>>>(filled<int>(8), filled<int>(1));
}

__global__ void neighbours(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float right = x[(i + 1) % (gridDim.x * blockDim.x)];  //~ blocks_in_place
  x[i] = right + 1;                                           //! blocks_in_place
}
void blocks_in_place() {
  neighbours<<<4, 64>>>(filled<float>(256));
}

__global__ void pass_on(int* data, volatile int* flag, int* y) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;  //~ flag_without_fence
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    y[threadIdx.x] = data[threadIdx.x];  //! flag_without_fence
  }
}
void flag_without_fence() {
  pass_on<<<2, 64>>>(filled<int>(64), filled<int>(1), filled<int>(64));
}

__device__ unsigned finished;
__global__ void last_block(const int* x, int* partial, int* y) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x[blockIdx.x] + 1;  //~ ticket_without_fence
    last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  //! ticket_without_fence
    *y = sum;
  }
}
void ticket_without_fence() {
  last_block<<<8, 64>>>(filled<int>(8), filled<int>(8), filled<int>(1));
}

__global__ void two_phases(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;             //~ no_grid_sync
  __syncthreads();      // of the block only
  y[i] = x[n - 1 - i];  //! no_grid_sync
}
void no_grid_sync() {
  two_phases<<<4, 64>>>(filled<int>(256), filled<int>(256));
}

// Barriers that some do not reach.
__global__ void in_branch(int* y) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) {
    __syncthreads();  //! barrier_in_branch
    y[threadIdx.x] = s[63 - threadIdx.x];
  }
  y[threadIdx.x] += 1;
}
void barrier_in_branch() {
  in_branch<<<1, 64>>>(filled<int>(64));
}

__global__ void trips(int* y) {
  __shared__ int s[64];
  for (int k = 0; k <= threadIdx.x / 8; ++k) {
    s[threadIdx.x] = k;
    __syncthreads();  //! barrier_in_uneven_loop
  }
  y[threadIdx.x] = s[63 - threadIdx.x];
}
void barrier_in_uneven_loop() {
  trips<<<1, 64>>>(filled<int>(64));
}

// Waiting without end.
__global__ void named(int* y) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;");  //! barrier_count
  y[threadIdx.x] = 1;
}
void barrier_count() {
  named<<<1, 64>>>(filled<int>(64));
}

__global__ void wait_for_last(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  if (threadIdx.x == 0)
    while (*flag == 0) {  //! block_not_resident
    }
}
void block_not_resident() {
  wait_for_last<<<100000, 64>>>(filled<int>(1));
}

__global__ void forever(volatile int* flag) {
  while (*flag == 0) {  //! nobody_sets_it
  }
}
void nobody_sets_it() {
  forever<<<1, 32>>>(filled<int>(1));
}

__device__ int locks[2];
__device__ void lock(int k) {
  while (atomicCAS(&locks[k], 0, 1) != 0) {  //! lock_order
  }
}
__global__ void both_locks(int* y) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x & 1;
  lock(first);
  for (volatile int k = 0; k < 2000; ++k) {
  }
  lock(1 - first);
  *y += 1;
  atomicExch(&locks[0], 0);
  atomicExch(&locks[1], 0);
}
void lock_order() {
  both_locks<<<2, 32>>>(filled<int>(1));
}

__global__ void grid_meets(int* y) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();  //! grid_sync
  y[blockIdx.x] = 1;
}
void grid_sync_without_one() {
  int* y = filled<int>(4);
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_meets), dim3(4), dim3(32), arguments);
}
void grid_sync_ordinary_launch() {
  grid_meets<<<4, 32>>>(filled<int>(4));
}

// Sound, though they look like the above.
__global__ void early_return(const int* x, int* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  __shared__ int s[64];
  s[i] = x[i];
  __syncthreads();
  y[i] = s[n - 1 - i];
}
void sound_early_return() {
  early_return<<<1, 64>>>(filled<int>(64), filled<int>(64), 32);
}

__device__ void raise(double* to, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(to);
  unsigned long long seen = *bits;
  while (__longlong_as_double(seen) < value) {
    const unsigned long long before = seen;
    seen = atomicCAS(bits, before, __double_as_longlong(value));
    if (seen == before) break;
  }
}
__global__ void greatest(const float* x, double* y) {
  raise(y, x[blockIdx.x * blockDim.x + threadIdx.x] + threadIdx.x % 7);
}
void sound_cas_loop() {
  greatest<<<4, 64>>>(filled<float>(256), filled<double>(1));
}

#define CASE(name) \
  { #name, name }
const Case cases[] = {
    CASE(reverse_unsynced),
    CASE(reduce_unsynced),
    CASE(tile_overwritten),
    CASE(stencil_in_place),
    CASE(scan_one_buffer),
    CASE(warp_unsynced),
    CASE(wrong_buffer),
    CASE(plain_histogram),
    CASE(read_among_atomics),
    CASE(start_unsynced),
    CASE(total_unguarded),
    CASE(blocks_in_place),
    CASE(flag_without_fence),
    CASE(ticket_without_fence),
    CASE(no_grid_sync),
    CASE(barrier_in_branch),
    CASE(barrier_in_uneven_loop),
    CASE(barrier_count),
    CASE(block_not_resident),
    CASE(nobody_sets_it),
    CASE(lock_order),
    CASE(grid_sync_without_one),
    CASE(grid_sync_ordinary_launch),
    CASE(sound_cas_loop),
    CASE(sound_early_return),
};

int main(int argc, char** argv) {
  return run_case(cases, argc, argv);
}
