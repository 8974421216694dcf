/// @file
/// One value of all words by an atomic a warp, sales counted where few shops sell most, short lists sorted by a
/// thread each in shared memory; running sums by one grid.
#include <cooperative_groups.h>

#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

__global__ void __launch_bounds__(256) join_parities(const uint4* in, unsigned* out, std::size_t m) {
  unsigned parity = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 v = in[i];
    parity ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  parity = __reduce_xor_sync(~0u, parity);
  if (threadIdx.x % 32 == 0) atomicXor(out, parity);
}

constexpr unsigned kShops = 3000, kGreatShops = 3, kMostItems = 100;
/// Half of all sales are of the first three.
__host__ __device__ __forceinline__ unsigned shop_of(unsigned word) {
  return (word >> 1) % ((word & 1) != 0 ? kGreatShops : kShops);
}
__global__ void add_sales(const unsigned* words, unsigned* sold, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(sold + shop_of(words[i]), words[m + i] % kMostItems);
}

constexpr unsigned kShortList = 30, kListThreads = 128;
/// A thread's numbers lie in a column of their own.
__global__ void __launch_bounds__(kListThreads) sort_short_lists(const unsigned* in, unsigned* out) {
  __shared__ unsigned lists[kShortList][kListThreads];
  const unsigned t = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * kShortList * kListThreads + t;
  for (unsigned k = 0; k < kShortList; ++k) {
    const unsigned v = in[base + k * kListThreads];
    unsigned to = k;
    for (; to > 0 && lists[to - 1][t] > v; --to) lists[to][t] = lists[to - 1][t];
    lists[to][t] = v;
  }
  for (unsigned k = 0; k < kShortList; ++k) out[base + k * kListThreads] = lists[k][t];
}

/// The sum of those before among the block's threads, and of all.
template <typename T, unsigned Threads>
__device__ __forceinline__ T sum_ahead(T mine, T* of_warp, T& all) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T upto = mine;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const T before = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += before;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  T ahead = upto - mine;
  all = T{};
#pragma unroll
  for (unsigned w = 0; w < Threads / 32; ++w) {
    if (w < warp) ahead += of_warp[w];
    all += of_warp[w];
  }
  return ahead;
}

constexpr unsigned kGridThreads = 256, kGridTile = kGridThreads * 4;
/// A block has a share of all tiles: it adds them up, waits for the others, and reads them again.
__global__ void __launch_bounds__(kGridThreads)
    running_sums_of_grid(const uint4* in, uint4* out, unsigned* of_blocks, unsigned tiles) {
  __shared__ unsigned of_warp[2][kGridThreads / 32];
  const unsigned t = threadIdx.x, share = (tiles + gridDim.x - 1) / gridDim.x;
  const unsigned begin = min(blockIdx.x * share, tiles), end = min(begin + share, tiles);
  unsigned sum = 0, all = 0;
  for (unsigned tile = begin; tile < end; ++tile) {
    const uint4 v = in[tile * kGridThreads + t];
    sum += v.x + v.y + v.z + v.w;
  }
  sum_ahead<unsigned, kGridThreads>(sum, of_warp[0], all);
  if (t == 0) of_blocks[blockIdx.x] = all;
  cooperative_groups::this_grid().sync();
  sum = 0;
  for (unsigned block = t; block < blockIdx.x; block += kGridThreads) sum += of_blocks[block];
  unsigned before = 0;
  sum_ahead<unsigned, kGridThreads>(sum, of_warp[1], before);
  for (unsigned tile = begin; tile < end; ++tile) {
    uint4 v = in[tile * kGridThreads + t];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    __syncthreads();  // both arrays of sums have been read
    const unsigned ahead = before + sum_ahead<unsigned, kGridThreads>(v.w, of_warp[tile % 2], all);
    out[tile * kGridThreads + t] = make_uint4(ahead + v.x, ahead + v.y, ahead + v.z, ahead + v.w);
    before += all;
  }
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const std::size_t joined = n / 2;
  s.run(
      "parities of all words, an atomic a warp", 4.0 * real(joined),
      [&] {
        join_parities<<<s.sms * 8, 256>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(), joined / 4);
      },
      [&] {
        unsigned want = 0;
        for (std::size_t i = 0; i < joined; ++i) want ^= word_of(i);
        return s.number(0) == want;
      });

  const unsigned sales = as_number(n / 16);
  s.run(
      "sales of 3000 shops, half of them of three, added in global memory", 8.0 * sales,
      [&] { add_sales<<<Set::blocks(sales), 256>>>(s.words, s.numbers(), sales); },
      [&] {
        std::vector<unsigned> want(kShops);
        for (std::size_t i = 0; i < sales; ++i) want[shop_of(word_of(i))] += word_of(sales + i) % kMostItems;
        return taken(s.numbers(), kShops) == want;
      });

  const unsigned lists = as_number(n / 1024 / kListThreads);
  s.run(
      "thirty numbers sorted by each thread in shared memory", 8.0 * kShortList * kListThreads * lists,
      [&] { sort_short_lists<<<lists, kListThreads>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, std::size_t{kShortList} * kListThreads * lists, [](std::size_t i) {
          constexpr std::size_t kOfBlock = kShortList * kListThreads;
          std::vector<unsigned> list(kShortList);
          for (std::size_t k = 0; k < kShortList; ++k)
            list[k] = word_of(i / kOfBlock * kOfBlock + k * kListThreads + i % kListThreads);
          std::sort(list.begin(), list.end());
          return list[i % kOfBlock / kListThreads];
        });
      });

  unsigned tiles = as_number(n / 8 / kGridTile);
  auto* of_blocks = room<unsigned>(s.sms * 4);
  const auto* from = reinterpret_cast<const uint4*>(s.words);
  auto* to = reinterpret_cast<uint4*>(s.out);
  s.run(
      "running sums of all words by a grid with a barrier", 8.0 * kGridTile * tiles,
      [&] {
        void* arguments[] = {&from, &to, &of_blocks, &tiles};
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(running_sums_of_grid), dim3(s.sms * 4),
                                    dim3(kGridThreads), arguments, 0, nullptr);
      },
      [&] {
        const auto got = taken(s.numbers(), std::size_t{kGridTile} * tiles);
        unsigned want = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
          if (got[i] != (want += word_of(i))) return false;
        return true;
      });
  cudaFree(of_blocks);
}

}  // namespace held_out_13
