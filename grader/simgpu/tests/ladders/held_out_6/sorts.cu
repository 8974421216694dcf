/// @file
/// Sorting by networks: tiles of 256 by odd and even neighbours, passes of a bitonic sort over all.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kSortsTile = 256;
__global__ void __launch_bounds__(kSortsTile / 2) odd_even(const unsigned* in, unsigned* out) {
  __shared__ unsigned v[kSortsTile];
  const std::size_t first = blockIdx.x * std::size_t{kSortsTile};
  const unsigned t = threadIdx.x;
  v[t] = in[first + t], v[t + kSortsTile / 2] = in[first + t + kSortsTile / 2];
  for (unsigned round = 0; round < kSortsTile; ++round) {
    __syncthreads();
    const unsigned k = 2 * t + round % 2;
    if (k + 1 < kSortsTile && v[k] > v[k + 1]) {
      const unsigned w = v[k];
      v[k] = v[k + 1], v[k + 1] = w;
    }
  }
  __syncthreads();
  out[first + t] = v[t], out[first + t + kSortsTile / 2] = v[t + kSortsTile / 2];
}
/// One pass: places d apart, runs of size in the order of their place.
__global__ void bitonic_pass(unsigned* v, unsigned d, unsigned size, std::size_t pairs) {
  const std::size_t t = global_index();
  if (t >= pairs) return;
  const std::size_t i = t / d * 2 * d + t % d;
  const unsigned a = v[i], b = v[i + d];
  if ((a > b) == ((i & size) == 0)) v[i] = b, v[i + d] = a;
}
std::function<unsigned(std::size_t)> sorted_in(std::size_t tile, bool alternate) {
  return [=](std::size_t i) {
    std::vector<unsigned> all(tile);
    for (std::size_t k = 0; k < tile; ++k) all[k] = word_of(i / tile * tile + k);
    std::sort(all.begin(), all.end());
    return alternate && i / tile % 2 == 1 ? all[tile - 1 - i % tile] : all[i % tile];
  };
}

}  // namespace

void sorts(Set& s) {
  const std::size_t n = s.n;
  const unsigned tiles = as_number(n / 256 / kSortsTile);
  s.run(
      "256 words sorted by odd and even neighbours", 8.0 * kSortsTile * tiles,
      [&] { odd_even<<<tiles, kSortsTile / 2>>>(s.words, s.numbers()); },
      [&] { return numbers(s, std::size_t{tiles} * kSortsTile, sorted_in(kSortsTile, false)); });
  const std::size_t m = n / 64;
  s.run(
      "passes of a bitonic sort up to runs of 64", 8.0 * real(m) * 22,
      [&] {
        cudaMemcpyAsync(s.out, s.words, m * 4, cudaMemcpyDeviceToDevice);
        for (unsigned size = 2; size <= 64; size *= 2)
          for (unsigned d = size / 2; d > 0; d /= 2)
            bitonic_pass<<<Set::blocks(m / 2), 256>>>(s.numbers(), d, size, m / 2);
      },
      [&] { return numbers(s, m, sorted_in(64, true)); });
}

}  // namespace held_out_6
