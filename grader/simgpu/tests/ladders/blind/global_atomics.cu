/// @file
/// Atomics on words of the L2: bits, lists, sums of several types, one word for all.
#include "blind.hpp"

namespace blind {
namespace {

__global__ void set_bits(const unsigned* keys, unsigned* set, std::size_t m, unsigned bits) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned at = place_of(keys[i], bits);
  atomicOr(&set[at >> 5], 1u << (at & 31));
}
/// Puts each element at the head of its bucket's list. 0 ends a list.
__global__ void push_on_lists(const unsigned* keys, unsigned* heads, unsigned* next, std::size_t m,
                              unsigned buckets) {
  const std::size_t i = global_index();
  if (i < m) next[i] = atomicExch(&heads[place_of(keys[i], buckets)], static_cast<unsigned>(i) + 1);
}
__global__ void add_doubles(const unsigned* keys, const float* in, double* sums, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&sums[keys[i] >> 20], static_cast<double>(in[i]));
}
/// One cursor for all: a warp reserves places for those of its elements that are odd.
__global__ void choose_by_warps(const unsigned* in, unsigned* out, unsigned* cursor, std::size_t m) {
  const std::size_t i = global_index();
  const unsigned v = i < m ? in[i] : 0, lane = threadIdx.x % 32;
  const unsigned chosen = __ballot_sync(~0u, v & 1);
  unsigned base = 0;
  if (lane == 0) base = atomicAdd(cursor, static_cast<unsigned>(__popc(static_cast<int>(chosen))));
  base = __shfl_sync(~0u, base, 0);
  if (v & 1) out[base + __popc(static_cast<int>(chosen & ((1u << lane) - 1)))] = v;
}
/// The least of each cell, by compare and swap on the bits of a float.
__global__ void least_of_cells(const unsigned* keys, const float* in, unsigned* cells, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned* cell = &cells[keys[i] >> 20];
  const float v = -in[i];
  unsigned seen = atomicCAS(cell, 0u, 0u);
  while (v < __uint_as_float(seen)) {
    const unsigned there = atomicCAS(cell, seen, __float_as_uint(v));
    if (there == seen) break;
    seen = there;
  }
}
/// Lanes of one key find each other, and one of them adds for all.
__global__ void count_after_matching(const unsigned* in, unsigned* bins, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned key = static_cast<unsigned>(__popc(static_cast<int>(in[i])));
  const unsigned same = __match_any_sync(__activemask(), key);
  if (__ffs(static_cast<int>(same)) - 1 == static_cast<int>(threadIdx.x % 32))
    atomicAdd(&bins[key], static_cast<unsigned>(__popc(static_cast<int>(same))));
}
__global__ void add_pairs_of_halves(const unsigned* keys, __half2* table, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&table[place_of(keys[i], size)], __floats2half2_rn(1, 2));
}

}  // namespace

void global_atomics(Set& s) {
  const std::size_t n = s.n;
  const unsigned set_words = s.table / 2, buckets = s.table / 4;
  s.run(
      "bits of a set in L2", 8.0 * static_cast<double>(n / 16),
      [&] { set_bits<<<Set::blocks(n / 16), 256>>>(s.words, s.numbers(), n / 16, set_words * 32); },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          const unsigned at = place_of(word_of(i), set_words * 32);
          return (s.number(at >> 5) >> (at & 31) & 1) == 1;
        });
      });
  s.run(
      "lists of buckets", 12.0 * static_cast<double>(n / 16),
      [&] {
        push_on_lists<<<Set::blocks(n / 16, 128), 128>>>(s.words, s.numbers(), s.numbers() + n / 2, n / 16,
                                                         buckets);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          unsigned at = s.number(place_of(word_of(i), buckets));
          for (int tries = 0; at != 0 && at != i + 1 && tries < 1000; ++tries) at = s.number(n / 2 + at - 1);
          return at == i + 1;
        });
      });
  s.run(
      "doubles added to 4096 words", 16.0 * static_cast<double>(n / 32),
      [&] {
        add_doubles<<<Set::blocks(n / 32, 512), 512>>>(s.words, s.in, reinterpret_cast<double*>(s.out),
                                                       n / 32);
      },
      [&] {
        double sum = 0, want = 0;
        for (std::size_t k = 0; k < 4096; ++k) sum += Checked::at(reinterpret_cast<double*>(s.out), k);
        for (std::size_t i = 0; i < n / 32; ++i) want += float_of(i);
        return Set::near(sum, want, 1e-6);
      });
  s.run(
      "one cursor for all warps", 1.5 * s.one / 4,
      [&] {
        cudaMemsetAsync(s.out + n - 32, 0, 4);
        choose_by_warps<<<Set::blocks(n / 4), 256>>>(s.words, s.numbers(), s.numbers() + n - 32, n / 4);
      },
      [&] {
        unsigned odd = 0;
        for (std::size_t i = 0; i < n / 4; ++i) odd += word_of(i) & 1;
        return s.number(n - 32) == odd && (s.number(odd - 1) & 1) == 1 && s.number(odd) == 0;
      });
  s.run(
      "least of cells by compare and swap", 12.0 * static_cast<double>(n / 64),
      [&] { least_of_cells<<<Set::blocks(n / 64), 256>>>(s.words, s.in, s.numbers(), n / 64); },
      [&] {
        std::vector<float> least(4096, 0);
        for (std::size_t i = 0; i < n / 64; ++i)
          least[word_of(i) >> 20] = std::min(least[word_of(i) >> 20], -float_of(i));
        return Set::each(4096, [&](std::size_t k) { return s.value(k) == least[k]; });
      });
  s.run(
      "counted after matching lanes", s.one / 8,
      [&] { count_after_matching<<<Set::blocks(n / 8), 256>>>(s.words, s.numbers(), n / 8); },
      [&] {
        std::vector<unsigned> count(33, 0);
        for (std::size_t i = 0; i < n / 8; ++i) ++count[__builtin_popcount(word_of(i))];
        return Set::each(33, [&](std::size_t k) { return s.number(k) == count[k]; });
      });
  s.run(
      "pairs of halves added in L2", 8.0 * static_cast<double>(n / 32),
      [&] {
        add_pairs_of_halves<<<Set::blocks(n / 32), 256>>>(s.words, reinterpret_cast<__half2*>(s.out), n / 32,
                                                          buckets);
      },
      [&] {
        std::vector<unsigned> count(buckets, 0);
        for (std::size_t i = 0; i < n / 32; ++i) ++count[place_of(word_of(i), buckets)];
        return Set::each(buckets, [&](std::size_t k) {
          const float2 v = __half22float2(Checked::at(reinterpret_cast<const __half2*>(s.out), k));
          return v.x == static_cast<float>(count[k]) && v.y == static_cast<float>(2 * count[k]);
        });
      });
}

}  // namespace blind
