/// @file
/// A table of keys with open places: filled by compare and swap, then asked for keys of which half are there.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__host__ __device__ __forceinline__ unsigned key_of(unsigned word) {
  return word | 1;
}
__global__ void fill(const unsigned* in, unsigned* table, unsigned places, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned key = key_of(in[i]);
  for (unsigned at = place_of(scrambled(key), places);; at = at + 1 == places ? 0 : at + 1) {
    const unsigned there = atomicCAS(&table[at], 0u, key);
    if (there == 0 || there == key) return;
  }
}
__global__ void ask(const unsigned* in, const unsigned* table, unsigned* out, unsigned places,
                    std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned key = key_of(in[i]);
  unsigned steps = 1;
  for (unsigned at = place_of(scrambled(key), places);; at = at + 1 == places ? 0 : at + 1, ++steps) {
    const unsigned there = table[at];
    if (there != 0 && there != key) continue;
    out[i] = steps << 1 | (there == key ? 1 : 0);
    return;
  }
}

}  // namespace

void hashing(Set& s) {
  const std::size_t n = s.n, keys = n / 128;
  const unsigned places = as_number(2 * keys);
  s.run(
      "table filled by compare and swap", 12.0 * real(keys),
      [&] {
        cudaMemsetAsync(s.out, 0, places * std::size_t{4});
        fill<<<Set::blocks(keys), 256>>>(s.words, s.numbers(), places, keys);
      },
      [&] {
        const std::vector<unsigned> table = taken(s.numbers(), places);
        std::vector<unsigned> want(keys);
        for (std::size_t i = 0; i < keys; ++i) want[i] = key_of(word_of(i));
        std::sort(want.begin(), want.end());
        want.erase(std::unique(want.begin(), want.end()), want.end());
        std::vector<unsigned> got;
        for (const unsigned key : table)
          if (key != 0) got.push_back(key);
        std::sort(got.begin(), got.end());
        return got == want;
      });
  std::vector<unsigned> filled(places);
  for (std::size_t i = 0; i < keys; ++i) {
    const unsigned key = key_of(word_of(i));
    unsigned at = place_of(scrambled(key), places);
    while (filled[at] != 0 && filled[at] != key) at = at + 1 == places ? 0 : at + 1;
    filled[at] = key;
  }
  unsigned* table = kept(filled);
  s.run(
      "table asked for twice as many", 12.0 * 2 * real(keys),
      [&] { ask<<<Set::blocks(2 * keys), 256>>>(s.words, table, s.numbers(), places, 2 * keys); },
      [&] {
        return numbers(s, 2 * keys, [&](std::size_t i) {
          const unsigned key = key_of(word_of(i));
          unsigned at = place_of(scrambled(key), places), steps = 1;
          while (filled[at] != 0 && filled[at] != key) at = at + 1 == places ? 0 : at + 1, ++steps;
          return steps << 1 | (filled[at] == key ? 1 : 0);
        });
      });
  cudaFree(table);
}

}  // namespace held_out_3
