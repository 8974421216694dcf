/// @file
/// Where data lie: filters of bits, addresses in tables of prefixes, links that lead through shared memory and
/// back, matrices turned in long flat tiles.
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kFilterBits = 4;
/// The place of a key's k-th bit: a word of the filter, and the bit there.
__host__ __device__ __forceinline__ unsigned filter_hash(unsigned key, unsigned k) {
  return scrambled(key + k * 0x9e3779b9u);
}
/// @return how many bits were looked at until one was missing, one more if none was
__global__ void __launch_bounds__(256)
    ask_filter(const unsigned* filter, const unsigned* keys, unsigned* out, unsigned of, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned key = keys[i];
  unsigned asked = 1;
  for (; asked <= kFilterBits; ++asked) {
    const unsigned hash = filter_hash(key, asked);
    if ((filter[place_of(hash, of)] >> (hash & 31) & 1) == 0) break;
  }
  out[i] = asked;
}

constexpr unsigned kFirstPrefixes = 1u << 16, kOfPage = 256, kPagesOfSm = 16, kGoesOn = 1u << 31;
/// Tables of 16, 8 and 8 bits of an address. An entry is what is wanted, or the page that has the next bits.
struct Prefixes {
  unsigned pages;  ///< of the second table, and of the third

  __host__ __device__ unsigned first(unsigned k) const {
    const unsigned bits = scrambled(k + 0x1000);
    return bits % 4 == 0 ? bits >> 16 : kGoesOn | place_of(scrambled(bits), pages);
  }
  __host__ __device__ unsigned second(unsigned k) const {
    const unsigned bits = scrambled(k + 0x2000000);
    return bits % 8 != 0 ? bits >> 16 : kGoesOn | place_of(scrambled(bits), pages);
  }
  __host__ __device__ unsigned third(unsigned k) const { return scrambled(k + 0x4000000) >> 16; }

  unsigned wanted(unsigned address) const {
    unsigned entry = first(address >> 16);
    if (entry & kGoesOn) entry = second((entry & ~kGoesOn) * kOfPage + (address >> 8 & 255));
    if (entry & kGoesOn) entry = third((entry & ~kGoesOn) * kOfPage + (address & 255));
    return entry;
  }
};
__global__ void __launch_bounds__(256)
    find_prefixes(const unsigned* first, const unsigned* second, const unsigned* third,
                  const unsigned* addresses, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned address = addresses[i];
  unsigned entry = first[address >> 16];
  if (entry & kGoesOn) {
    entry = second[(entry & ~kGoesOn) * kOfPage + (address >> 8 & 255)];
    if (entry & kGoesOn) entry = third[(entry & ~kGoesOn) * kOfPage + (address & 255)];
  }
  out[i] = entry + 1;
}

constexpr unsigned kNearLinks = 4096, kThereAndBack = 200;
__host__ __device__ __forceinline__ unsigned near_link(unsigned k) {
  return scrambled(k + 0x51ed27);
}
/// A link of shared memory leads to one of global memory, which leads back. Each lane has a way of its own.
__global__ void __launch_bounds__(32) there_and_back(const unsigned* far, unsigned* out, unsigned of) {
  __shared__ unsigned near[kNearLinks];
  for (unsigned k = threadIdx.x; k < kNearLinks; k += 32) near[k] = near_link(k);
  __syncthreads();
  unsigned at = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
  for (unsigned k = 0; k < kThereAndBack; ++k) at = far[place_of(near[at % kNearLinks] ^ at, of)];
  out[blockIdx.x * 32 + threadIdx.x] = at;
}

constexpr unsigned kFlatWide = 1024, kFlatX = 128, kFlatY = 8;
/// Reads are four lines long, writes a sector.
__global__ void __launch_bounds__(kFlatX) turn_flat_tiles(const float* in, float* out, unsigned high) {
  __shared__ float tile[kFlatY][kFlatX + 4];
  const unsigned t = threadIdx.x, x0 = blockIdx.x * kFlatX, y0 = blockIdx.y * kFlatY;
#pragma unroll
  for (unsigned k = 0; k < kFlatY; ++k) tile[k][t] = in[std::size_t{y0 + k} * kFlatWide + x0 + t];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kFlatX; k += kFlatX / kFlatY) {
    const unsigned x = k + t / kFlatY, y = t % kFlatY;
    out[std::size_t{x0 + x} * high + y0 + y] = tile[y][x];
  }
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned asked = as_number(n / 16), filter = s.table;
  s.run(
      "keys asked of a filter that the L2 holds, up to four bits each", 8.0 * asked,
      [&] { ask_filter<<<Set::blocks(asked), 256>>>(s.words, s.words + n / 2, s.numbers(), filter, asked); },
      [&] {
        return numbers(s, asked, [&](std::size_t i) {
          unsigned count = 1;
          for (; count <= kFilterBits; ++count) {
            const unsigned hash = filter_hash(word_of(n / 2 + i), count);
            if ((word_of(place_of(hash, filter)) >> (hash & 31) & 1) == 0) break;
          }
          return count;
        });
      });

  const Prefixes prefixes{kPagesOfSm * s.sms};
  std::vector<unsigned> table(kFirstPrefixes);
  for (unsigned k = 0; k < kFirstPrefixes; ++k) table[k] = prefixes.first(k);
  unsigned* first = kept(table);
  table.resize(std::size_t{prefixes.pages} * kOfPage);
  for (unsigned k = 0; k < table.size(); ++k) table[k] = prefixes.second(k);
  unsigned* second = kept(table);
  for (unsigned k = 0; k < table.size(); ++k) table[k] = prefixes.third(k);
  unsigned* third = kept(table);
  const unsigned addresses = as_number(n / 16);
  s.run(
      "addresses found by their prefixes in up to three tables", 8.0 * addresses,
      [&] {
        find_prefixes<<<Set::blocks(addresses), 256>>>(first, second, third, s.words + n / 4, s.numbers(),
                                                       addresses);
      },
      [&] {
        return numbers(s, addresses, [&](std::size_t i) { return prefixes.wanted(word_of(n / 4 + i)) + 1; });
      });
  cudaFree(first), cudaFree(second), cudaFree(third);

  const unsigned far = s.table / 2;
  s.run(
      "links from shared memory to global memory and back, a warp an SM, each lane its own way",
      4.0 * 32 * (kThereAndBack + 1.0) * s.sms,
      [&] { there_and_back<<<s.sms, 32>>>(s.words, s.numbers(), far); },
      [&] {
        return numbers(s, 32 * std::size_t{s.sms}, [&](std::size_t i) {
          unsigned at = as_number(i);
          for (unsigned k = 0; k < kThereAndBack; ++k)
            at = word_of(place_of(near_link(at % kNearLinks) ^ at, far));
          return at;
        });
      });

  const unsigned high = as_number(n / 8 / kFlatWide / kFlatY * kFlatY);
  s.run(
      "turned in flat tiles of 8 rows of 128", 8.0 * kFlatWide * high,
      [&] { turn_flat_tiles<<<dim3(kFlatWide / kFlatX, high / kFlatY), kFlatX>>>(s.in, s.out, high); },
      [&] {
        return floats(s, std::size_t{kFlatWide} * high,
                      [&](std::size_t i) { return double{float_of(i % high * kFlatWide + i / high)}; });
      });
}

}  // namespace held_out_16
