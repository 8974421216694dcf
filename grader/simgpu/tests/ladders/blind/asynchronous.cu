/// @file
/// Copies that go past the registers, asked for ahead: by groups, by words at the edges of tiles, of what indices say.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include "blind.hpp"

namespace blind {
namespace {

namespace cg = cooperative_groups;

/// A block's 2048 floats come as one request of the whole group.
__global__ void __launch_bounds__(256) differences_by_groups(const float* in, float* out) {
  __shared__ alignas(16) float line[2048];
  const auto block = cg::this_thread_block();
  const std::size_t base = blockIdx.x * std::size_t{2048};
  cg::memcpy_async(block, reinterpret_cast<float4*>(line), reinterpret_cast<const float4*>(in + base),
                   sizeof line);
  cg::wait(block);
  for (unsigned k = threadIdx.x; k < 2048; k += 256) out[base + k] = line[k] - line[(k + 1) % 2048];
}
/// Five points of a plane; tiles of 34 x 18 are copied by words, zero beyond the edge.
__global__ void __launch_bounds__(128)
    five_points_of_tiles(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
  for (unsigned k = threadIdx.x; k < 18 * 34; k += 128) {
    const int tx = static_cast<int>(k % 34), ty = static_cast<int>(k / 34), x = x0 + tx, y = y0 + ty;
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    __pipeline_memcpy_async(&tile[ty][tx], inside ? &in[std::size_t(y) * width + x] : in, 4, inside ? 0 : 4);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int tx = threadIdx.x % 32 + 1;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int ty = threadIdx.x / 32 + 4 * r + 1;
    if (y0 + ty < height)
      out[std::size_t(y0 + ty) * width + x0 + tx] =
          4 * tile[ty][tx] - tile[ty][tx - 1] - tile[ty][tx + 1] - tile[ty - 1][tx] - tile[ty + 1][tx];
  }
}
/// Pairs at indices, three requests of each thread on their way.
__global__ void __launch_bounds__(192)
    pairs_fetched_ahead(const unsigned* index, const float2* from, float* out, std::size_t m, unsigned size) {
  __shared__ alignas(8) float2 stage[4][192];
  const std::size_t step = stride();
  std::size_t ahead = global_index();
  const auto fetch = [&](unsigned slot) {
    if (ahead < m) __pipeline_memcpy_async(&stage[slot][threadIdx.x], &from[place_of(index[ahead], size)], 8);
    __pipeline_commit();
    ahead += step;
  };
  fetch(0), fetch(1), fetch(2);
  unsigned at = 0;
  for (std::size_t i = global_index(); i < m; i += step, ++at) {
    fetch((at + 3) % 4);
    __pipeline_wait_prior(3);
    const float2 v = stage[at % 4][threadIdx.x];
    out[i] = v.x * v.y;
  }
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "differences, copied by groups", 2 * s.one,
      [&] { differences_by_groups<<<static_cast<unsigned>(n / 2048), 256>>>(s.in, s.out); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          const std::size_t next = i % 2048 == 2047 ? i - 2047 : i + 1;
          return std::abs(s.value(i) - (double{float_of(i)} - float_of(next))) < 1e-4;
        });
      });
  const std::size_t width = 4096, height = n / width;
  s.run(
      "five points of tiles copied by words", 2 * s.one,
      [&] {
        five_points_of_tiles<<<dim3(128, Set::blocks(height, 16)), 128>>>(s.in, s.out, 4096,
                                                                          static_cast<int>(height));
      },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          const std::size_t x = i % width, y = i / width;
          double want = 4.0 * float_of(i);
          if (x > 0) want -= float_of(i - 1);
          if (x + 1 < width) want -= float_of(i + 1);
          if (y > 0) want -= float_of(i - width);
          if (y + 1 < height) want -= float_of(i + width);
          return std::abs(s.value(i) - want) < 1e-3;
        });
      });
  s.run(
      "pairs of a table fetched ahead", 16.0 * static_cast<double>(n / 8),
      [&] {
        pairs_fetched_ahead<<<s.sms * 6, 192>>>(s.words, reinterpret_cast<float2*>(s.in), s.out, n / 8,
                                                s.table / 2);
      },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          const std::size_t at = place_of(word_of(i), s.table / 2) * std::size_t{2};
          return Set::near(s.value(i), double{float_of(at)} * float_of(at + 1));
        });
      });
}

}  // namespace blind
