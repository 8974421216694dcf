/// @file
/// Sums of an array: one element a thread and a second pass, against loops with few blocks.
#include "ladder.hpp"

namespace {

/// Tree over the block; every thread brings one value.
__device__ float block_sum(float value, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

__global__ void one_each(const float* in, float* out, std::size_t n) {
  __shared__ float shared[256];
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const float sum = block_sum(i < n ? in[i] : 0.0f, shared);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// The textbook's first version: neighbours first, with a modulo, so that warps diverge.
__global__ void interleaved(const float* in, float* out, std::size_t n) {
  __shared__ float shared[256];
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  shared[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

__global__ void loop_scalar(const float* in, float* out, std::size_t n) {
  __shared__ float shared[256];
  float sum = 0;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
#pragma unroll 1
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) sum += in[i];
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void loop_float4(const float4* in, float* out, std::size_t n) {
  __shared__ float shared[256];
  float sum = 0;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
    const float4 v = in[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void loop_shuffle(const float4* in, float* out, std::size_t n) {
  __shared__ float warps[32];
  float sum = 0;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
    const float4 v = in[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

/// Every thread adds its element to one total: as slow as it gets.
__global__ void atomic_each(const float* in, float* out, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const std::size_t bytes = bench.array_bytes, n = bytes / 4, n4 = bytes / 16;
  auto* in = bench.array<float>(bytes);
  auto* partial = bench.array<float>(bytes / 256 + 4096);
  auto* partial2 = bench.array<float>(bytes / 65536 + 4096);
  auto* total = bench.array<float>(4096);
  const double moved = static_cast<double>(bytes);
  const auto passes = [&](auto* kernel) {
    std::size_t left = n;
    const float* from = in;
    float* to = partial;
    while (left > 1) {
      const std::size_t blocks = (left + 255) / 256;
      kernel<<<static_cast<unsigned>(blocks), 256>>>(from, to, left);
      left = blocks;
      from = to;
      to = to == partial ? partial2 : partial;
    }
  };
  bench.run("one element a thread, interleaved tree", moved, [&] { passes(interleaved); });
  bench.run("one element a thread, passes", moved, [&] { passes(one_each); });
  bench.run("loop scalar, tree, atomic", moved, [&] { loop_scalar<<<8 * bench.sms, 256>>>(in, total, n); });
  bench.run("loop float4, tree, atomic", moved,
            [&] { loop_float4<<<8 * bench.sms, 256>>>(reinterpret_cast<float4*>(in), total, n4); });
  bench.run("loop float4, shuffles, atomic", moved,
            [&] { loop_shuffle<<<8 * bench.sms, 256>>>(reinterpret_cast<float4*>(in), total, n4); });
  bench.run("one atomic a thread", moved / 16,
            [&] { atomic_each<<<static_cast<unsigned>(n / 16 / 256), 256>>>(in, total, n / 16); });
  return 0;
}
