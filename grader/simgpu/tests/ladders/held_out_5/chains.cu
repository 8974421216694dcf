/// @file
/// One thing after the other, in one thread: links in shared memory, in L2 and in the card's memory, a sum
/// of products, an atomic that waits for the one before. Such a chain takes as long on a slice, so it is
/// counted whole.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

/// All of a power of two come once around.
__host__ __device__ __forceinline__ unsigned link(unsigned i, unsigned places) {
  return (i * 1664525u + 1013904223u) & (places - 1);
}
__global__ void make_links(unsigned* links, unsigned places) {
  for (std::size_t i = global_index(); i < places; i += stride())
    links[i] = link(static_cast<unsigned>(i), places);
}
constexpr unsigned kShared = 8192;
__global__ void links_in_shared(unsigned* out, unsigned hops) {
  __shared__ unsigned links[kShared];
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) links[i] = link(i, kShared);
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned at = 0;
#pragma unroll 4
  for (unsigned k = 0; k < hops; ++k) at = links[at];
  *out = at;
}
/// Goes on where it stood.
__global__ void follow(const unsigned* links, unsigned* place, unsigned hops) {
  unsigned at = *place;
#pragma unroll 4
  for (unsigned k = 0; k < hops; ++k) at = __ldcg(links + at);
  *place = at;
}
__global__ void sum_of_products(float* out, float by, unsigned steps) {
  float v = static_cast<float>(threadIdx.x);
#pragma unroll 16
  for (unsigned k = 0; k < steps; ++k) v = fmaf(v, by, 1.0f);
  out[threadIdx.x] = v;
}
__global__ void atomics_in_a_row(unsigned* words, unsigned hops) {
  unsigned at = 0;
  for (unsigned k = 0; k < hops; ++k) at = atomicAdd(&words[at], 1u) & 1;
  words[2] = at + 7;
}
unsigned after(unsigned places, unsigned hops) {
  unsigned at = 0;
  for (unsigned k = 0; k < hops; ++k) at = link(at, places);
  return at;
}

}  // namespace

void chains(Set& s) {
  s.run_whole(
      "links in shared memory, one thread", 4.0 * 4000,
      [&] { links_in_shared<<<1, 256>>>(s.numbers(), 4000); },
      [&] { return s.number(0) == after(kShared, 4000); });
  constexpr unsigned kNear = 1 << 18;
  unsigned far = 1;
  while (2 * std::size_t{far} <= s.n / 2) far *= 2;
  unsigned *near_links = room<unsigned>(kNear), *far_links = room<unsigned>(far);
  make_links<<<s.sms, 256>>>(near_links, kNear);
  make_links<<<s.sms * 8, 256>>>(far_links, far);
  s.run_whole(
      "links in L2, one thread", 4.0 * 400,
      [&] {
        cudaMemsetAsync(s.out, 0, 4);
        follow<<<1, 1>>>(near_links, s.numbers(), 400);
      },
      [&] { return s.number(0) == after(kNear, 400); });
  s.run_whole(
      "links in the card's memory, one thread", 4.0 * 160,
      [&] { follow<<<1, 1>>>(far_links, s.numbers(), 160); }, [&] { return s.number(0) == after(far, 160); });
  cudaFree(near_links), cudaFree(far_links);
  s.run_whole(
      "products and sums in a row, one warp", 4.0 * 16384,
      [&] { sum_of_products<<<1, 32>>>(s.out, 0.75f, 16384); },
      [&] { return floats(s, 32, [](std::size_t) { return 4.0; }); });
  s.run_whole(
      "atomics in a row, one thread", 4.0 * 100, [&] { atomics_in_a_row<<<1, 1>>>(s.numbers(), 100); },
      [&] {
        unsigned words[2] = {}, at = 0;
        for (int k = 0; k < 100; ++k) at = words[at]++ & 1;
        return s.number(0) == words[0] && s.number(1) == words[1] && s.number(2) == at + 7;
      });
}

}  // namespace held_out_5
