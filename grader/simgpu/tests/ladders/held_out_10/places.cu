/// @file
/// Where data lie: values gathered at both ends of edges, pairs strewn over pages, pairs turned without a
/// tile, the last two axes of a volume changed in padded tiles, structs in shared memory whose fields all lie
/// in few banks.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kMeshWide = 1024;
/// A node's edges: to the next, to the one below, across, and to one anywhere.
__host__ __device__ __forceinline__ uint2 edge_of(unsigned e, unsigned nodes) {
  const unsigned from = e / 4;
  const unsigned to = e % 4 == 0   ? from + 1
                      : e % 4 == 1 ? from + kMeshWide
                      : e % 4 == 2 ? from + kMeshWide + 1
                                   : place_of(word_of(e), nodes);
  return make_uint2(from, to % nodes);
}
__global__ void list_edges(uint2* edges, unsigned nodes) {
  const unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < 4 * nodes) edges[e] = edge_of(e, nodes);
}
__global__ void differences_of_edges(const uint2* edges, const float* values, float* out, unsigned m) {
  const unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  const uint2 edge = edges[e];
  out[e] = values[edge.y] - values[edge.x];
}

constexpr unsigned kPageOfPairs = 1u << 17;
/// One place for each of a page.
__host__ __device__ __forceinline__ unsigned place_in_page(unsigned j) {
  j = j * 0x9e35u % kPageOfPairs;
  j ^= j >> 7;
  return (j * 0x6a0b5u + 77) % kPageOfPairs;
}
__global__ void strew_pairs(const float2* in, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i / kPageOfPairs * kPageOfPairs + place_in_page(i % kPageOfPairs)] = in[i];
}

constexpr unsigned kPairsWide = 1536;
__global__ void turn_pairs(const float2* in, float2* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[std::size_t{x} * high + y] = in[std::size_t{y} * kPairsWide + x];
}

constexpr unsigned kAxisY = 96, kAxisX = 160, kSlice = kAxisY * kAxisX;
__global__ void __launch_bounds__(256) change_last_axes(const float* in, float* out) {
  __shared__ float tile[32][33];
  const unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y;
  const std::size_t slice = blockIdx.z * std::size_t{kSlice};
  for (unsigned k = 0; k < 32; k += 8) tile[ty + k][tx] = in[slice + (y0 + ty + k) * kAxisX + x0 + tx];
  __syncthreads();
  for (unsigned k = 0; k < 32; k += 8) out[slice + (x0 + ty + k) * kAxisY + y0 + tx] = tile[tx][ty + k];
}

constexpr unsigned kStructs = 256, kMixed = 8, kApartInShared = 5;
struct Quantities {
  float mass, charge, spin, age;
};
/// Each thread asks eight structs of its block, one field after the other.
__global__ void __launch_bounds__(kStructs) mix_structs(const Quantities* in, float* out) {
  __shared__ Quantities here[kStructs];
  const unsigned t = threadIdx.x;
  const std::size_t i = blockIdx.x * std::size_t{kStructs} + t;
  here[t] = in[i];
  __syncthreads();
  const float* words = &here[0].mass;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned field = 0; field < 4; ++field)
#pragma unroll
    for (unsigned k = 0; k < kMixed; ++k)
      sum += static_cast<float>(field + 1) * words[4 * ((t + kApartInShared * k) % kStructs) + field];
  out[i] = sum;
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned nodes = as_number(n / 64), count = 4 * nodes;
  auto* edges = room<uint2>(count);
  list_edges<<<Set::blocks(count), 256>>>(edges, nodes);
  ladder::check(cudaDeviceSynchronize(), "edges");
  s.run(
      "differences along the edges of a mesh", 20.0 * count,
      [&] { differences_of_edges<<<Set::blocks(count), 256>>>(edges, s.in, s.out, count); },
      [&] {
        return within(s, count, 1e-5, [&](std::size_t i) {
          const uint2 edge = edge_of(as_number(i), nodes);
          return double{float_of(edge.y)} - float_of(edge.x);
        });
      });
  cudaFree(edges);
  const unsigned strewn = std::max(1u, as_number(n / 16 / kPageOfPairs)) * kPageOfPairs;
  s.run(
      "pairs of floats strewn over pages of a megabyte", 16.0 * strewn,
      [&] {
        strew_pairs<<<Set::blocks(strewn), 256>>>(reinterpret_cast<const float2*>(s.in),
                                                  reinterpret_cast<float2*>(s.out), strewn);
      },
      [&] {
        return Set::each(2 * std::size_t{strewn}, [&](std::size_t i) {
          const unsigned pair = as_number(i / 2);
          const std::size_t to = pair / kPageOfPairs * kPageOfPairs + place_in_page(pair % kPageOfPairs);
          return Set::near(s.value(2 * to + i % 2), float_of(i), 1e-6);
        });
      });

  const unsigned high = as_number(n / 16 / kPairsWide / 16 * 16);
  s.run(
      "pairs turned without a tile, blocks of 16 x 16", 16.0 * kPairsWide * high,
      [&] {
        turn_pairs<<<dim3(kPairsWide / 16, high / 16), dim3(16, 16)>>>(
            reinterpret_cast<const float2*>(s.in), reinterpret_cast<float2*>(s.out), high);
      },
      [&] {
        return floats(s, 2 * std::size_t{kPairsWide} * high, [&](std::size_t i) {
          const std::size_t x = i / 2 / high, y = i / 2 % high;
          return double{float_of(2 * (y * kPairsWide + x) + i % 2)};
        });
      });
  const unsigned slices = as_number(n / 4 / kSlice);
  s.run(
      "last two axes of a volume changed in padded tiles", 8.0 * kSlice * slices,
      [&] { change_last_axes<<<dim3(kAxisX / 32, kAxisY / 32, slices), dim3(32, 8)>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kSlice} * slices, [](std::size_t i) {
          const std::size_t at = i % kSlice;
          return double{float_of(i - at + at % kAxisY * kAxisX + at / kAxisY)};
        });
      });
  const unsigned blocks = as_number(n / 16 / kStructs);
  s.run(
      "structs of sixteen bytes in shared memory, field by field", 20.0 * kStructs * blocks,
      [&] { mix_structs<<<blocks, kStructs>>>(reinterpret_cast<const Quantities*>(s.in), s.out); },
      [&] {
        return floats(s, std::size_t{kStructs} * blocks, [](std::size_t i) {
          double sum = 0;
          for (std::size_t field = 0; field < 4; ++field)
            for (std::size_t k = 0; k < kMixed; ++k) {
              const std::size_t from =
                  i / kStructs * kStructs + (i % kStructs + kApartInShared * k) % kStructs;
              sum += real(field + 1) * float_of(4 * from + field);
            }
          return sum;
        });
      });
}

}  // namespace held_out_10
