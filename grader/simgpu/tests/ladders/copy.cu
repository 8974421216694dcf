/// @file
/// Copies: bytes in flight by access width, occupancy, loop shape and alignment.
#include "ladder.hpp"

namespace {

template <typename T>
__global__ void copy_one(const T* in, T* out, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// K elements a thread, a block's width apart, all loads before the first store.
template <typename T, int K>
__global__ void copy_several(const T* in, T* out, std::size_t n) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} * K + threadIdx.x;
  T value[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    if (first + k * blockDim.x < n) value[k] = in[first + k * blockDim.x];
  }
#pragma unroll
  for (int k = 0; k < K; ++k) {
    if (first + k * blockDim.x < n) out[first + k * blockDim.x] = value[k];
  }
}

/// A loop over the array, K elements a turn.
template <typename T, int K>
__global__ void copy_loop(const T* in, T* out, std::size_t n) {
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
#pragma unroll 1
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i + (K - 1) * stride < n;
       i += K * stride) {
    T value[K];
#pragma unroll
    for (int k = 0; k < K; ++k) value[k] = in[i + k * stride];
#pragma unroll
    for (int k = 0; k < K; ++k) out[i + k * stride] = value[k];
  }
}

__global__ void read_only(const float4* in, float* out, std::size_t n) {
  float sum = 0;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
#pragma unroll 4
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.678f) out[0] = sum;  // never true; keeps the loads
}

template <typename T>
__global__ void add_one(const T* a, const T* b, T* c, std::size_t n);

template <>
__global__ void add_one<float>(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

template <>
__global__ void add_one<float4>(const float4* a, const float4* b, float4* c, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

unsigned blocks_for(std::size_t n, std::size_t per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

template <typename K>
void limit_occupancy(K* kernel, int blocks_per_sm, std::size_t& shared) {
  shared = blocks_per_sm >= 8 ? 0 : (228 * 1024 / blocks_per_sm - 1024) / 1024 * 1024;
  ladder::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
      "cudaFuncSetAttribute");
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const std::size_t bytes = bench.array_bytes;
  auto* in = bench.array<float>(bytes + 4096);
  auto* out = bench.array<float>(bytes + 4096);
  auto* third = bench.array<float>(bytes + 4096);
  auto* in4 = reinterpret_cast<float4*>(in);
  auto* out4 = reinterpret_cast<float4*>(out);
  const std::size_t n = bytes / 4, n4 = bytes / 16;
  const double moved = 2.0 * static_cast<double>(bytes);

  bench.run("memcpy", moved, [&] { cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice); });
  bench.run("copy float4", moved, [&] { copy_one<<<blocks_for(n4, 256), 256>>>(in4, out4, n4); });
  bench.run("copy 4 B", moved, [&] { copy_one<<<blocks_for(n, 256), 256>>>(in, out, n); });
  bench.run("copy four floats", moved,
            [&] { copy_several<float, 4><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("copy four float4", moved,
            [&] { copy_several<float4, 4><<<blocks_for(n4, 1024), 256>>>(in4, out4, n4); });
  bench.run("grid-stride 8x256 scalar", moved,
            [&] { copy_loop<float, 1><<<8 * bench.sms, 256>>>(in, out, n); });
  bench.run("grid-stride 8x256 float4", moved,
            [&] { copy_loop<float4, 1><<<8 * bench.sms, 256>>>(in4, out4, n4); });
  bench.run("read only float4", moved / 2, [&] { read_only<<<8 * bench.sms, 256>>>(in4, third, n4); });
  bench.run("vector add 4 B", moved * 1.5, [&] { add_one<<<blocks_for(n, 256), 256>>>(in, out, third, n); });
  bench.run("vector add 16 B", moved * 1.5,
            [&] { add_one<<<blocks_for(n4, 256), 256>>>(in4, out4, reinterpret_cast<float4*>(third), n4); });
  for (const unsigned threads : {256u, 512u, 1024u}) {
    const std::string tag = std::to_string(threads) + " threads an SM, ";
    bench.run(tag + "scalar", moved, [&] { copy_loop<float, 1><<<bench.sms, threads>>>(in, out, n); });
    bench.run(tag + "float4", moved, [&] { copy_loop<float4, 1><<<bench.sms, threads>>>(in4, out4, n4); });
    bench.run(tag + "4 x float4", moved,
              [&] { copy_loop<float4, 4><<<bench.sms, threads>>>(in4, out4, n4); });
    bench.run(tag + "8 x float4", moved,
              [&] { copy_loop<float4, 8><<<bench.sms, threads>>>(in4, out4, n4); });
  }
  for (const int per_sm : {8, 4, 2, 1}) {
    const std::string tag = "occupancy " + std::to_string(per_sm) + "/8, ";
    std::size_t shared = 0;
    limit_occupancy(copy_one<float>, per_sm, shared);
    bench.run(tag + "4 B", moved, [&] { copy_one<<<blocks_for(n, 256), 256, shared>>>(in, out, n); });
    limit_occupancy(copy_several<float4, 4>, per_sm, shared);
    bench.run(tag + "4 x 16 B", moved,
              [&] { copy_several<float4, 4><<<blocks_for(n4, 1024), 256, shared>>>(in4, out4, n4); });
  }
  bench.run("misaligned both, one", moved,
            [&] { copy_one<<<blocks_for(n, 256), 256>>>(in + 1, out + 1, n); });
  bench.run("misaligned both, four", moved,
            [&] { copy_several<float, 4><<<blocks_for(n, 1024), 256>>>(in + 1, out + 1, n); });
  bench.run("misaligned source, four", moved,
            [&] { copy_several<float, 4><<<blocks_for(n, 1024), 256>>>(in + 1, out, n); });
  for (const unsigned threads : {16u, 32u, 64u, 128u, 512u, 1024u}) {
    bench.run("copy 4 B, blocks of " + std::to_string(threads), moved,
              [&] { copy_one<<<blocks_for(n, threads), threads>>>(in, out, n); });
  }
  return 0;
}
