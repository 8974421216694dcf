/// @file
/// Where data lie: floats fetched from near by, matrices turned with and without a tile, keys sought in
/// buckets, lists of unequal length followed to their ends.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kNear = 512;
__host__ __device__ __forceinline__ unsigned near_by(unsigned i, unsigned word, unsigned m) {
  const unsigned at = i + word % (2 * kNear);
  return at < kNear ? 0 : at - kNear < m ? at - kNear : m - 1;
}
__global__ void fetch_near_by(const float* in, const unsigned* words, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = in[near_by(i, words[i], m)];
}

constexpr unsigned kUntiledWide = 640, kUntiledX = 8, kUntiledY = 32;
/// Eight threads side by side read down a column and write along a row.
__global__ void turn_doubles(const double* in, double* out, unsigned high) {
  const unsigned y = blockIdx.x * kUntiledX + threadIdx.x, x = blockIdx.y * kUntiledY + threadIdx.y;
  out[x * high + y] = in[y * kUntiledWide + x];
}

constexpr unsigned kVectorsWide = 256, kVectorTile = 16;
/// A column's vectors lie at other places in each row of the tile.
__global__ void __launch_bounds__(kVectorTile* kVectorTile)
    turn_vectors(const float4* in, float4* out, unsigned high) {
  __shared__ float4 tile[kVectorTile][kVectorTile];
  const unsigned x0 = blockIdx.x * kVectorTile, y0 = blockIdx.y * kVectorTile;
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx ^ ty] = in[(y0 + ty) * kVectorsWide + x0 + tx];
  __syncthreads();
  out[(x0 + ty) * high + y0 + tx] = tile[tx][ty ^ tx];
}

constexpr unsigned kBucket = 8, kKeysOfBucket = 5;
/// All differ, none is nought.
__host__ __device__ __forceinline__ unsigned key_number(unsigned j) {
  return scrambled(j + 1);
}
__host__ __device__ __forceinline__ unsigned bucket_of(unsigned key, unsigned buckets) {
  return place_of(scrambled(key * 0x9e3779b1u), buckets);
}
/// A key's place in the table, counted from one; nought if it is not there. A bucket with an empty place ends
/// the search.
__global__ void __launch_bounds__(256)
    seek_in_buckets(const uint4* table, const unsigned* words, unsigned* out, unsigned buckets, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned key = key_number(place_of(words[i], 2 * kKeysOfBucket * buckets));
  unsigned bucket = bucket_of(key, buckets), found = 0;
  for (bool full = true; full && found == 0; bucket = bucket + 1 == buckets ? 0 : bucket + 1) {
    const uint4 a = table[2 * bucket], b = table[2 * bucket + 1];
    const unsigned keys[kBucket] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (unsigned k = 0; k < kBucket; ++k)
      if (keys[k] == key) found = bucket * kBucket + k + 1;
    full = b.w != 0;
  }
  out[i] = found;
}

constexpr unsigned kLongestList = 32;
constexpr unsigned long long kLinkStep = 2654435761u;  // a prime
/// Node @p k of list @p list, of @p slots.
__host__ __device__ __forceinline__ unsigned slot_of(unsigned list, unsigned k, unsigned slots) {
  return static_cast<unsigned>((list * kLongestList + k) * kLinkStep % slots);
}
__host__ __device__ __forceinline__ unsigned length_of_list(unsigned list) {
  return 1 + word_of(list) % kLongestList;
}
/// A node has the next one's slot and a word.
__global__ void link_lists(uint2* nodes, unsigned slots) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned list = i / kLongestList, k = i % kLongestList;
  if (i >= slots) return;
  const unsigned slot = slot_of(list, k, slots);
  nodes[slot] = make_uint2(k + 1 < length_of_list(list) ? slot_of(list, k + 1, slots) : ~0u, word_of(slot));
}
__global__ void __launch_bounds__(128)
    follow_lists(const uint2* nodes, unsigned* out, unsigned lists, unsigned slots) {
  const unsigned list = blockIdx.x * blockDim.x + threadIdx.x;
  if (list >= lists) return;
  unsigned sum = 0;
  for (unsigned at = slot_of(list, 0, slots); at != ~0u;) {
    const uint2 node = nodes[at];
    sum += node.y;
    at = node.x;
  }
  out[list] = sum;
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned fetched = as_number(n / 8);
  s.run(
      "floats fetched from at most 512 places away", 12.0 * fetched,
      [&] { fetch_near_by<<<Set::blocks(fetched), 256>>>(s.in, s.words, s.out, fetched); },
      [&] {
        return floats(s, fetched, [&](std::size_t i) {
          return double{float_of(near_by(as_number(i), word_of(i), fetched))};
        });
      });

  const unsigned high = as_number(n / 32 / kUntiledWide / kUntiledX * kUntiledX);
  s.run(
      "doubles turned without a tile, eight of a column side by side", 16.0 * kUntiledWide * high,
      [&] {
        turn_doubles<<<dim3(high / kUntiledX, kUntiledWide / kUntiledY), dim3(kUntiledX, kUntiledY)>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<double*>(s.out), high);
      },
      [&] {
        return doubles(s, std::size_t{kUntiledWide} * high,
                       [&](std::size_t i) { return double_of(i % high * kUntiledWide + i / high); });
      });
  const unsigned vectors_high = as_number(n / 32 / kVectorsWide / kVectorTile * kVectorTile);
  s.run(
      "vectors of four floats turned in tiles of 16 x 16, mixed by exclusive or",
      32.0 * kVectorsWide * vectors_high,
      [&] {
        turn_vectors<<<dim3(kVectorsWide / kVectorTile, vectors_high / kVectorTile),
                       dim3(kVectorTile, kVectorTile)>>>(reinterpret_cast<const float4*>(s.in), s.vectors(),
                                                         vectors_high);
      },
      [&] {
        return floats(s, 4 * std::size_t{kVectorsWide} * vectors_high, [&](std::size_t i) {
          const std::size_t at = i / 4;
          return double{float_of(4 * (at % vectors_high * kVectorsWide + at / vectors_high) + i % 4)};
        });
      });

  const unsigned buckets = as_number(n / 256), there = kKeysOfBucket * buckets, sought = as_number(n / 16);
  std::vector<unsigned> table(std::size_t{kBucket} * buckets), used(buckets);
  for (unsigned j = 0; j < there; ++j) {
    const unsigned key = key_number(j);
    unsigned bucket = bucket_of(key, buckets);
    while (used[bucket] == kBucket) bucket = bucket + 1 == buckets ? 0 : bucket + 1;
    table[bucket * kBucket + used[bucket]++] = key;
  }
  unsigned* of_keys = kept(table);
  s.run(
      "keys sought in buckets of eight, half of them missing", 40.0 * sought,
      [&] {
        seek_in_buckets<<<Set::blocks(sought), 256>>>(reinterpret_cast<const uint4*>(of_keys), s.words,
                                                      s.numbers(), buckets, sought);
      },
      [&] {
        const auto got = taken(s.numbers(), sought);
        for (std::size_t i = 0; i < sought; i += 1 + sought / 100000) {
          const unsigned j = place_of(word_of(i), 2 * there);
          if (j >= there ? got[i] != 0
                         : got[i] == 0 || got[i] > table.size() || table[got[i] - 1] != key_number(j))
            return false;
        }
        return true;
      });
  cudaFree(of_keys);

  const unsigned slots = as_number(n / 8), lists = slots / kLongestList;
  auto* nodes = room<uint2>(slots);
  link_lists<<<Set::blocks(slots), 256>>>(nodes, slots);
  ladder::check(cudaDeviceSynchronize(), "lists");
  s.run(
      "lists of unequal length followed through memory to their ends",
      (4.0 * (1 + kLongestList) + 4.0) * lists,
      [&] { follow_lists<<<Set::blocks(lists, 128), 128>>>(nodes, s.numbers(), lists, slots); },
      [&] {
        return numbers(s, lists, [&](std::size_t i) {
          unsigned sum = 0;
          for (unsigned k = 0; k < length_of_list(as_number(i)); ++k)
            sum += word_of(slot_of(as_number(i), k, slots));
          return sum;
        });
      });
  cudaFree(nodes);
}

}  // namespace held_out_13
