/// @file
/// Atomics whose answers are used or that meet: doubles added in shared memory, places drawn from one counter, heads of lists exchanged.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__global__ void __launch_bounds__(256) doubles_by_class(const unsigned* in, double* out, std::size_t m) {
  __shared__ double sums[64];
  if (threadIdx.x < 64) sums[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned w = in[i];
    atomicAdd(&sums[w >> 26], 0.5 * (w & 1023));
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], sums[threadIdx.x]);
}
/// Blocks of eight warps add up what they need, and one thread draws for all.
__global__ void __launch_bounds__(256)
    drawn_by_blocks(const unsigned* in, unsigned* out, unsigned* next, std::size_t m) {
  __shared__ unsigned needed, first;
  if (threadIdx.x == 0) needed = 0;
  __syncthreads();
  const std::size_t i = global_index();
  const unsigned w = i < m ? in[i] : 0, mine = w >> 30;
  const unsigned at = atomicAdd(&needed, mine);
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(next, needed);
  __syncthreads();
  for (unsigned k = 0; k < mine; ++k) out[first + at + k] = w;
}
__global__ void push(const unsigned* in, unsigned* heads, unsigned* next, unsigned lists, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) next[i] = atomicExch(&heads[place_of(in[i], lists)], static_cast<unsigned>(i) + 1);
}

}  // namespace

void atomics(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "doubles added by class in shared memory", 4.0 * real(n / 32),
      [&] { doubles_by_class<<<s.sms * 4, 256>>>(s.words, reinterpret_cast<double*>(s.out), n / 32); },
      [&] {
        std::vector<double> sums(64);
        for (std::size_t i = 0; i < n / 32; ++i) sums[word_of(i) >> 26] += 0.5 * (word_of(i) & 1023);
        return Set::each(
            64, [&](std::size_t c) { return Checked::at(reinterpret_cast<double*>(s.out), c) == sums[c]; });
      });
  const std::size_t m = n / 32;
  unsigned* next = s.numbers() + n - 1;
  s.run(
      "places drawn by blocks from a counter", 10.0 * real(m),
      [&] {
        cudaMemsetAsync(next, 0, 4);
        drawn_by_blocks<<<Set::blocks(m), 256>>>(s.words, s.numbers(), next, m);
      },
      [&] {
        std::vector<unsigned> want;
        for (std::size_t i = 0; i < m; ++i) want.insert(want.end(), word_of(i) >> 30, word_of(i));
        std::vector<unsigned> got = taken(s.numbers(), want.size());
        std::sort(want.begin(), want.end()), std::sort(got.begin(), got.end());
        return got == want && s.number(n - 1) == want.size();
      });
  const std::size_t items = n / 64;
  const unsigned lists = as_number(items / 16);
  unsigned* heads = s.numbers() + n / 2;
  s.run(
      "items pushed to lists", 12.0 * real(items),
      [&] {
        cudaMemsetAsync(heads, 0, lists * std::size_t{4});
        push<<<Set::blocks(items), 256>>>(s.words, heads, s.numbers(), lists, items);
      },
      [&] {
        const std::vector<unsigned> head = taken(heads, lists), after = taken(s.numbers(), items);
        std::vector<unsigned> length(lists);
        for (std::size_t i = 0; i < items; ++i) ++length[place_of(word_of(i), lists)];
        return Set::each(lists, [&](std::size_t list) {
          unsigned count = 0;
          for (unsigned at = head[list]; at != 0 && count <= items; at = after[at - 1], ++count)
            if (place_of(word_of(at - 1), lists) != list) return false;
          return count == length[list] && count > 0;
        });
      });
}

}  // namespace held_out_3
