/// @file
/// Running sums in blocks and over all by three kernels; chosen elements moved together.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__device__ unsigned scanned_in_warp(unsigned v) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, v, d);
    if (threadIdx.x % 32 >= unsigned(d)) v += before;
  }
  return v;
}
/// Running sums of a block of 512; its total goes to @p totals.
__global__ void __launch_bounds__(512) scan_block(const unsigned* in, unsigned* out, unsigned* totals) {
  __shared__ unsigned warps[16];
  const std::size_t i = global_index();
  unsigned v = scanned_in_warp(in[i] & 7);
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    const unsigned w = scanned_in_warp(threadIdx.x < 16 ? warps[threadIdx.x] : 0);
    if (threadIdx.x < 16) warps[threadIdx.x] = w;
  }
  __syncthreads();
  if (threadIdx.x >= 32) v += warps[threadIdx.x / 32 - 1];
  out[i] = v;
  if (totals != nullptr && threadIdx.x == 511) totals[blockIdx.x] = v;
}
/// One block goes over all totals.
__global__ void __launch_bounds__(512) scan_totals(unsigned* totals, unsigned count) {
  __shared__ unsigned warps[16], carried;
  if (threadIdx.x == 0) carried = 0;
  for (unsigned first = 0; first < count; first += 512) {
    const unsigned i = first + threadIdx.x;
    const unsigned own = i < count ? totals[i] : 0;
    unsigned v = scanned_in_warp(own);
    if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = v;
    __syncthreads();
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) v += warps[w];
    if (i < count) totals[i] = carried + v - own;
    __syncthreads();
    if (threadIdx.x == 511) carried += v;
    __syncthreads();
  }
}
__global__ void __launch_bounds__(512) add_totals(unsigned* out, const unsigned* totals) {
  out[global_index()] += totals[blockIdx.x];
}
/// Those below a limit, in order within a warp; warps take their places by an atomic.
__global__ void choose(const unsigned* in, unsigned* out, unsigned* count, std::size_t m) {
  const std::size_t i = global_index();
  const unsigned v = i < m ? in[i] : ~0u;
  const bool chosen = v < 0x60000000u;
  const unsigned all = __ballot_sync(~0u, chosen), lane = threadIdx.x % 32;
  unsigned first = 0;
  if (lane == 0 && all != 0) first = atomicAdd(count, __popc(all));
  first = __shfl_sync(~0u, first, 0);
  if (chosen) out[first + __popc(all & ((1u << lane) - 1))] = v;
}
/// The same, a place for a block at a time.
__global__ void __launch_bounds__(256) choose_by_blocks(const unsigned* in, unsigned* out, unsigned* count) {
  __shared__ unsigned warps[8], first;
  const unsigned v = in[global_index()], lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool chosen = v < 0x60000000u;
  const unsigned all = __ballot_sync(~0u, chosen);
  if (lane == 0) warps[warp] = __popc(all);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned c = warps[w];
      warps[w] = sum;
      sum += c;
    }
    first = atomicAdd(count, sum);
  }
  __syncthreads();
  if (chosen) out[first + warps[warp] + __popc(all & ((1u << lane) - 1))] = v;
}

}  // namespace

void scans(Set& s) {
  const std::size_t n = s.n;
  const auto running = [](std::size_t from, std::size_t to) {
    unsigned sum = 0;
    for (std::size_t k = from; k <= to; ++k) sum += word_of(k) & 7;
    return sum;
  };
  s.run(
      "running sums of 512", s.one / 2,
      [&] { scan_block<<<static_cast<unsigned>(n / 2048), 512>>>(s.words, s.numbers(), nullptr); },
      [&] { return numbers(s, n / 4, [&](std::size_t i) { return running(i / 512 * 512, i); }); });
  const std::size_t m = n / 8;
  unsigned* totals = s.numbers() + n / 2;
  const auto blocks = static_cast<unsigned>(m / 512);
  s.run(
      "running sums of all by three kernels", 4 * s.one / 8,
      [&] {
        scan_block<<<blocks, 512>>>(s.words, s.numbers(), totals);
        scan_totals<<<1, 512>>>(totals, blocks);
        add_totals<<<blocks, 512>>>(s.numbers(), totals);
      },
      [&] { return numbers(s, m, [&](std::size_t i) { return running(0, i); }); });
  unsigned* count = s.numbers() + n - 1;
  const auto chosen = [&](std::size_t of) {
    std::size_t many = 0;
    unsigned sum = 0;
    for (std::size_t i = 0; i < of; ++i)
      if (word_of(i) < 0x60000000u) ++many, sum += word_of(i);
    if (s.number(n - 1) != many) return false;
    std::vector<unsigned> got(many);
    ladder::check(cudaMemcpy(got.data(), s.out, 4 * many, cudaMemcpyDeviceToHost), "chosen");
    for (const unsigned v : got) sum -= v;
    return sum == 0;
  };
  s.run(
      "chosen by ballots", s.one * 11 / 8 / 4,
      [&] {
        cudaMemsetAsync(count, 0, 4);
        choose<<<Set::blocks(n / 4), 256>>>(s.words, s.numbers(), count, n / 4);
      },
      [&] { return chosen(n / 4); });
  s.run(
      "chosen by blocks", s.one * 11 / 8 / 4,
      [&] {
        cudaMemsetAsync(count, 0, 4);
        choose_by_blocks<<<static_cast<unsigned>(n / 1024), 256>>>(s.words, s.numbers(), count);
      },
      [&] { return chosen(n / 4); });
}

}  // namespace held_out_2
