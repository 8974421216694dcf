/// @file
/// Atomics in global memory: floats added to many places, doubles by compare and swap, the greatest of
/// floats by their bits, lists built by exchange, 64-bit counters at one place a block.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void add_floats(const unsigned* where, const float* what, float* sums, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&sums[where[i] & 65535], what[i]);
}
/// As it was done before the cards could.
__device__ __forceinline__ void add_by_swaps(double* to, double v) {
  auto* word = reinterpret_cast<unsigned long long*>(to);
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed,
                    static_cast<unsigned long long>(
                        __double_as_longlong(v + __longlong_as_double(static_cast<long long>(assumed)))));
  } while (old != assumed);
}
__global__ void add_doubles(const unsigned* where, const float* what, double* sums, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) add_by_swaps(&sums[where[i] & 32767], what[i]);
}
/// Positive floats are in the order of their bits.
__global__ void greatest(const unsigned* where, const float* what, int* most, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicMax(&most[where[i] & 4095], __float_as_int(what[i]));
}
__global__ void build_lists(const unsigned* keys, unsigned* heads, unsigned* next, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) next[i] = atomicExch(&heads[keys[i] & 65535], static_cast<unsigned>(i) + 1);
}
__global__ void add_squares(const unsigned* in, unsigned long long* sum, std::size_t m) {
  const std::size_t i = global_index();
  unsigned long long v = i < m ? static_cast<unsigned long long>(in[i] >> 12) * (in[i] >> 12) : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

}  // namespace

void atomics(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "floats added to 65536 places", 8.0 * real(n / 64),
      [&] {
        cudaMemsetAsync(s.out, 0, 65536 * 4);
        add_floats<<<Set::blocks(n / 64), 256>>>(s.words, s.in, s.out, n / 64);
      },
      [&] {
        std::vector<double> want(65536);
        for (std::size_t i = 0; i < n / 64; ++i) want[word_of(i) & 65535] += float_of(i);
        return floats(s, 65536, [&](std::size_t c) { return want[c]; });
      });
  s.run(
      "doubles added by compare and swap", 8.0 * real(n / 256),
      [&] {
        cudaMemsetAsync(s.out, 0, 32768 * 8);
        add_doubles<<<Set::blocks(n / 256), 256>>>(s.words, s.in, reinterpret_cast<double*>(s.out), n / 256);
      },
      [&] {
        std::vector<double> want(32768);
        for (std::size_t i = 0; i < n / 256; ++i) want[word_of(i) & 32767] += float_of(i);
        return Set::each(32768, [&](std::size_t c) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), c), want[c], 1e-9);
        });
      });
  s.run(
      "greatest of floats by their bits", 8.0 * real(n / 64),
      [&] {
        cudaMemsetAsync(s.out, 0, 4096 * 4);
        greatest<<<s.sms * 8, 256>>>(s.words, s.in, reinterpret_cast<int*>(s.out), n / 64);
      },
      [&] {
        std::vector<float> want(4096);
        for (std::size_t i = 0; i < n / 64; ++i)
          want[word_of(i) & 4095] = std::max(want[word_of(i) & 4095], float_of(i));
        return taken(s.out, 4096) == want;
      });
  const std::size_t items = n / 128;
  s.run(
      "lists built by exchange", 8.0 * real(items),
      [&] {
        cudaMemsetAsync(s.out, 0, 65536 * 4);
        build_lists<<<Set::blocks(items), 256>>>(s.words, s.numbers(), s.numbers() + n / 2, items);
      },
      [&] {
        const auto heads = taken(s.numbers(), 65536), next = taken(s.numbers() + n / 2, items);
        std::size_t found = 0;
        for (unsigned key = 0; key < 65536; ++key)
          for (unsigned at = heads[key]; at != 0 && found <= items; at = next[at - 1], ++found)
            if (at > items || (word_of(at - 1) & 65535) != key) return false;
        return found == items;
      });
  s.run(
      "squares of 64 bits added, an atomic a warp", 4.0 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.out, 0, 8);
        add_squares<<<Set::blocks(n / 32), 256>>>(s.words, reinterpret_cast<unsigned long long*>(s.out),
                                                  n / 32);
      },
      [&] {
        std::uint64_t want = 0;
        for (std::size_t i = 0; i < n / 32; ++i) want += std::uint64_t{word_of(i) >> 12} * (word_of(i) >> 12);
        return Checked::at(reinterpret_cast<std::uint64_t*>(s.out), 0) == want;
      });
}

}  // namespace held_out_5
