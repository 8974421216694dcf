/// @file
/// Grids that leave SMs idle or half full: single warps, much shared memory, many registers, a part of a wave, unequal blocks, small
/// launches one after the other. What they move does not matter, how long they last does.
#include "blind.hpp"

namespace blind {
namespace {

__global__ void __launch_bounds__(32) sum_by_one_warp(const float4* in, float* out, std::size_t each) {
  const float4* at = in + blockIdx.x * each + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (std::size_t k = 0; k < each; k += 256) {
    float4 v[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = at[k + 32 * j];
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += v[j].x + v[j].y + v[j].z + v[j].w;
  }
  out[global_index()] = sum;
}
constexpr unsigned kTile = 24576;
/// Each block keeps 96 kB, so that an SM has two: an order of the tile that strides through it.
__global__ void __launch_bounds__(256) stride_through_tile(const float* in, float* out) {
  extern __shared__ float tile[];
  const std::size_t base = blockIdx.x * std::size_t{kTile};
  for (unsigned k = threadIdx.x; k < kTile; k += 256) tile[k] = in[base + k];
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kTile; k += 256) out[base + k] = tile[k * 35u % kTile];
}
/// Mean and spread of 32 values, all of which a thread keeps.
__global__ void __launch_bounds__(256) mean_and_spread(const float* in, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float v[32], sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = in[i + k * m];
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[k];
  const float mean = sum * (1.0f / 32);
#pragma unroll
  for (int k = 0; k < 32; ++k) squares += (v[k] - mean) * (v[k] - mean);
  out[i] = make_float2(mean, sqrtf(squares * (1.0f / 32)));
}
/// Four blocks an SM fit: five of each leave a quarter of a wave.
__global__ void __launch_bounds__(512, 4) logarithms_again(const float* in, float* out, int rounds) {
  float v = in[global_index()];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) v = __logf(v + 2.0f) + 1.0f;
  out[global_index()] = v;
}
/// Where block b's rows begin in so many vectors. Only when tried out smaller do the blocks begin anew at the front.
__host__ __device__ __forceinline__ std::size_t begin_of(std::size_t block, std::size_t vectors) {
  return block * 28 * 256 % (vectors - 28 * 256);
}
/// Block b has b % 28 + 1 rows of 1024 floats.
__global__ void __launch_bounds__(128) unequal_blocks(const float4* in, float* out, std::size_t vectors) {
  const unsigned rows = blockIdx.x % 28 + 1;
  const float4* at = in + begin_of(blockIdx.x, vectors) + threadIdx.x;
  float sum = 0;
  for (unsigned r = 0; r < rows * 2; ++r) {
    const float4 v = at[r * 128];
    sum += fabsf(v.x - v.y) + fabsf(v.z - v.w);
  }
  out[global_index()] = sum;
}
__global__ void add_to_each(float* data, float v) {
  data[global_index()] += v;
}
/// One block of 1024 for all: a scan of 64 kB, as a last pass does it.
__global__ void __launch_bounds__(1024) scan_by_one_block(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[32];
  alignas(16) unsigned v[16];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<uint4*>(v)[k] = reinterpret_cast<const uint4*>(in)[threadIdx.x * 4 + k];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = (v[k] & 15) + (k > 0 ? v[k - 1] : 0);
  unsigned up = v[15];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned left = __shfl_up_sync(~0u, up, d);
    if (lane >= d) up += left;
  }
  if (lane == 31) sums[warp] = up;
  __syncthreads();
  const unsigned before = __reduce_add_sync(~0u, lane < warp ? sums[lane] : 0u) + up - v[15];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] += before;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<uint4*>(out)[threadIdx.x * 4 + k] = reinterpret_cast<const uint4*>(v)[k];
}

}  // namespace

void grids(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "one warp an SM, eight loads each", 16.0 * 16384 * s.sms,
      [&] { sum_by_one_warp<<<s.sms, 32>>>(reinterpret_cast<float4*>(s.in), s.out, 16384); },
      [&] {
        return Set::each(std::size_t{32} * s.sms, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 16384; k += 32)
            for (std::size_t c = 0; c < 4; ++c) sum += float_of((i / 32 * 16384 + k + i % 32) * 4 + c);
          return Set::near(s.value(i), sum);
        });
      });
  const std::size_t tiles = n / kTile;
  s.run(
      "strides through tiles of 96 kB", 8.0 * kTile * static_cast<double>(tiles),
      [&] {
        cudaFuncSetAttribute(stride_through_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, kTile * 4);
        stride_through_tile<<<static_cast<unsigned>(tiles), 256, kTile * 4>>>(s.in, s.out);
      },
      [&] {
        return Set::each(tiles * kTile, [&](std::size_t i) {
          return s.value(i) == float_of(i / kTile * kTile + i % kTile * 35 % kTile);
        });
      });
  s.run(
      "mean and spread of 32 kept values", s.one + s.one / 16,
      [&] { mean_and_spread<<<Set::blocks(n / 32), 256>>>(s.in, reinterpret_cast<float2*>(s.out), n / 32); },
      [&] {
        return Set::each(n / 32, [&](std::size_t i) {
          double sum = 0, squares = 0;
          for (std::size_t k = 0; k < 32; ++k) sum += float_of(i + k * (n / 32));
          for (std::size_t k = 0; k < 32; ++k) squares += std::pow(float_of(i + k * (n / 32)) - sum / 32, 2);
          return Set::near(s.value(2 * i), sum / 32) &&
                 Set::near(s.value(2 * i + 1), std::sqrt(squares / 32));
        });
      });
  s.run(
      "a wave and a quarter of logarithms", 8.0 * 512 * s.sms * 5,
      [&] { logarithms_again<<<s.sms * 5, 512>>>(s.in, s.out, 512); },
      [&] {
        return Set::each(std::size_t{512} * s.sms * 5, [&](std::size_t i) {
          double v = float_of(i);
          for (int k = 0; k < 512; ++k) v = std::log(v + 2) + 1;
          return Set::near(s.value(i), v);
        });
      });
  s.run(
      "unequal blocks", 4096.0 * (28 * 29 / 2) * s.sms,
      [&] { unequal_blocks<<<s.sms * 28, 128>>>(reinterpret_cast<float4*>(s.in), s.out, n / 4); },
      [&] {
        return Set::each(std::size_t{128} * s.sms * 28, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t r = 0; r < (i / 128 % 28 + 1) * 2; ++r) {
            const std::size_t at = (begin_of(i / 128, n / 4) + i % 128 + r * 128) * 4;
            sum += std::abs(float_of(at) - float_of(at + 1)) + std::abs(float_of(at + 2) - float_of(at + 3));
          }
          return Set::near(s.value(i), sum);
        });
      });
  s.run_whole(
      "twenty small launches", 20 * 8.0 * 256 * 2 * 132,
      [&] {
        for (int k = 0; k < 20; ++k) add_to_each<<<s.sms * 2, 256>>>(s.out, 1.0f);
      },
      [&] { return Set::each(std::size_t{512} * s.sms, [&](std::size_t i) { return s.value(i) == 20; }); });
  s.run_whole(
      "scan by one block", 131072, [&] { scan_by_one_block<<<1, 1024>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(16384, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k <= i; ++k) sum += word_of(k) & 15;
          return s.number(i) == sum;
        });
      });
}

}  // namespace blind
