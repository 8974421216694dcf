/// @file
/// Where data lie: rows of three sectors by number, words in the order of turned bits, little matrices turned,
/// a hash table of chains, four chases at once.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kPickedVectors = 6;
/// Six lanes side by side fetch a row.
__global__ void __launch_bounds__(192)
    pick_rows(const float4* in, const unsigned* words, float4* out, unsigned of, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, row = i / kPickedVectors;
  if (row < m) out[i] = in[std::size_t{place_of(words[row], of)} * kPickedVectors + i % kPickedVectors];
}

constexpr unsigned kTurnedBits = 14, kTurnedWindow = 1u << kTurnedBits;
__global__ void __launch_bounds__(256) order_by_turned_bits(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned place = i % kTurnedWindow;
  out[i - place + (__brev(place) >> (32 - kTurnedBits))] = in[i];
}

constexpr unsigned kLittle = 20, kOfLittle = kLittle * kLittle, kLittleThreads = kOfLittle / 4;
__global__ void __launch_bounds__(kLittleThreads) turn_little(const float4* in, float4* out) {
  __shared__ float matrix[kLittle][kLittle + 1];
  const unsigned t = threadIdx.x, row = t / (kLittle / 4), x = t % (kLittle / 4) * 4;
  const float4 v = in[blockIdx.x * kLittleThreads + t];
  matrix[row][x] = v.x;
  matrix[row][x + 1] = v.y;
  matrix[row][x + 2] = v.z;
  matrix[row][x + 3] = v.w;
  __syncthreads();
  out[blockIdx.x * kLittleThreads + t] =
      make_float4(matrix[x][row], matrix[x + 1][row], matrix[x + 2][row], matrix[x + 3][row]);
}

/// All differ.
__host__ __device__ __forceinline__ unsigned customer_key(unsigned j) {
  return scrambled(j + 101);
}
__host__ __device__ __forceinline__ unsigned chain_of(unsigned key, unsigned chains) {
  return place_of(scrambled(key + 77), chains);
}
inline unsigned customer_value(unsigned j) {
  return word_of(j + 9) | 1;
}
/// A node has a key and the next node's number, or ~0.
__global__ void __launch_bounds__(256)
    join_orders(const unsigned* heads, const uint2* nodes, const unsigned* values, const unsigned* words,
                unsigned* out, unsigned chains, unsigned keys, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned key = customer_key(place_of(words[i], keys));
  unsigned found = 0;
  for (unsigned at = heads[chain_of(key, chains)]; at != ~0u;) {
    const uint2 node = nodes[at];
    if (node.x == key) {
      found = values[at];
      break;
    }
    at = node.y;
  }
  out[i] = found;
}

constexpr unsigned kChases = 4, kChaseSteps = 128;
/// A golden part of the way round, without a factor in common with 2, 3 and 7, of which @p m is made.
__host__ __device__ __forceinline__ unsigned chase_leap(unsigned m) {
  const unsigned golden = place_of(0x9e3779b9u, m);
  return golden - golden % 42 + 1;
}
__host__ __device__ __forceinline__ unsigned chase_start(unsigned thread, unsigned chase, unsigned m) {
  return place_of(scrambled(thread * kChases + chase), m);
}
__global__ void fill_chase(unsigned* next, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) next[i] = (i + chase_leap(m)) % m;
}
__global__ void __launch_bounds__(32) chase_four(const unsigned* next, uint4* out, unsigned m) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at[kChases];
  for (unsigned c = 0; c < kChases; ++c) at[c] = chase_start(t, c, m);
#pragma unroll 1
  for (unsigned k = 0; k < kChaseSteps; ++k)
#pragma unroll
    for (unsigned& each : at) each = next[each];
  out[t] = make_uint4(at[0], at[1], at[2], at[3]);
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  constexpr unsigned kPickedFloats = 4 * kPickedVectors;
  const unsigned of = as_number(n / kPickedFloats), picked = as_number(n / 4 / kPickedFloats);
  s.run(
      "rows of 96 bytes picked by number, six lanes each", (8.0 * kPickedFloats + 4.0) * picked,
      [&] {
        pick_rows<<<Set::blocks(std::size_t{picked} * kPickedVectors, 192), 192>>>(
            reinterpret_cast<const float4*>(s.in), s.words, s.vectors(), of, picked);
      },
      [&] {
        return floats(s, std::size_t{kPickedFloats} * picked, [&](std::size_t i) {
          return double{float_of(std::size_t{place_of(word_of(i / kPickedFloats), of)} * kPickedFloats +
                                 i % kPickedFloats)};
        });
      });

  const unsigned ordered = as_number(n / 8 / kTurnedWindow * kTurnedWindow);
  s.run(
      "windows of 16384 floats in the order of their places' bits turned round", 8.0 * ordered,
      [&] { order_by_turned_bits<<<ordered / 256, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, ordered, [](std::size_t i) {
          std::size_t from = i / kTurnedWindow;
          for (unsigned bit = 0; bit < kTurnedBits; ++bit) from = 2 * from + (i >> bit & 1);
          return double{float_of(from)};
        });
      });

  const unsigned little = as_number(n / 8 / kOfLittle);
  s.run(
      "matrices of 20 x 20 turned, a block of 100 threads each", 8.0 * kOfLittle * little,
      [&] { turn_little<<<little, kLittleThreads>>>(reinterpret_cast<const float4*>(s.in), s.vectors()); },
      [&] {
        return floats(s, std::size_t{kOfLittle} * little, [](std::size_t i) {
          const std::size_t k = i % kOfLittle;
          return double{float_of(i - k + k % kLittle * kLittle + k / kLittle)};
        });
      });

  const unsigned customers = as_number(n / 256), chains = customers / 2, keys = customers / 4 * 5,
                 orders = as_number(n / 32);
  std::vector<unsigned> heads(chains, ~0u), values(customers);
  std::vector<uint2> nodes(customers);
  for (unsigned j = 0; j < customers; ++j) {
    // Neighbours in a chain lie far apart.
    unsigned& head = heads[chain_of(customer_key(j), chains)];
    nodes[j] = make_uint2(customer_key(j), head);
    values[j] = customer_value(j);
    head = j;
  }
  unsigned *to_heads = kept(heads), *to_values = kept(values);
  uint2* to_nodes = kept(nodes);
  s.run(
      "orders joined with customers through chains of a hash table", 24.0 * orders,
      [&] {
        join_orders<<<Set::blocks(orders), 256>>>(to_heads, to_nodes, to_values, s.words, s.numbers(), chains,
                                                  keys, orders);
      },
      [&] {
        return numbers(s, orders, [&](std::size_t i) {
          const unsigned j = place_of(word_of(i), keys);
          return j < customers ? customer_value(j) : 0u;
        });
      });
  cudaFree(to_heads), cudaFree(to_values), cudaFree(to_nodes);

  const unsigned chased = as_number(n / 64);
  auto* next = room<unsigned>(chased);
  fill_chase<<<Set::blocks(chased), 256>>>(next, chased);
  ladder::check(cudaDeviceSynchronize(), "chase");
  s.run(
      "four chases of 128 steps at once by each thread of two warps an SM",
      32.0 * 2 * kChases * (4.0 * kChaseSteps + 4.0) * s.sms,
      [&] { chase_four<<<s.sms * 2, 32>>>(next, reinterpret_cast<uint4*>(s.out), chased); },
      [&] {
        return numbers(s, std::size_t{64} * kChases * s.sms, [&](std::size_t i) {
          const std::size_t start = chase_start(as_number(i / kChases), as_number(i % kChases), chased);
          return as_number((start + std::size_t{kChaseSteps} * chase_leap(chased)) % chased);
        });
      });
  cudaFree(next);
}

}  // namespace held_out_14
