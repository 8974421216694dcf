/// @file
/// Calls of cub and thrust: runs of 1536 words sorted by blocks, the least and the greatest of floats.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

constexpr int kSorters = 256, kOfSorter = 6, kSortedRun = kSorters * kOfSorter;
__global__ void __launch_bounds__(kSorters) sort_runs(const unsigned* words, unsigned* out) {
  using Load = cub::BlockLoad<unsigned, kSorters, kOfSorter, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<unsigned, kSorters, kOfSorter>;
  using Store = cub::BlockStore<unsigned, kSorters, kOfSorter, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } space;
  const std::size_t base = blockIdx.x * std::size_t{kSortedRun};
  unsigned keys[kOfSorter];
  Load(space.load).Load(words + base, keys);
  __syncthreads();
  Sort(space.sort).Sort(keys);
  __syncthreads();
  Store(space.store).Store(out + base, keys);
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned runs = as_number(n / 32 / kSortedRun);
  s.run(
      "runs of 1536 words sorted by blocks of cub", 8.0 * kSortedRun * runs,
      [&] { sort_runs<<<runs, kSorters>>>(s.words, s.numbers()); },
      [&] {
        for (const std::size_t run : {std::size_t{0}, std::size_t{runs} / 2, std::size_t{runs} - 1}) {
          std::vector<unsigned> want(kSortedRun);
          for (std::size_t k = 0; k < kSortedRun; ++k) want[k] = word_of(run * kSortedRun + k);
          std::sort(want.begin(), want.end());
          if (taken(s.numbers() + run * kSortedRun, kSortedRun) != want) return false;
        }
        return true;
      });

  const std::size_t compared = n / 4;
  std::size_t least = n, greatest = n;
  s.run(
      "least and greatest of floats by thrust", 4.0 * real(compared),
      [&] {
        const auto ends = thrust::minmax_element(thrust::device, s.in, s.in + compared);
        least = static_cast<std::size_t>(ends.first - s.in);
        greatest = static_cast<std::size_t>(ends.second - s.in);
      },
      [&] {
        if (least >= compared || greatest >= compared) return false;
        float low = float_of(0), high = low;
        for (std::size_t i = 1; i < compared; ++i)
          low = std::min(low, float_of(i)), high = std::max(high, float_of(i));
        return float_of(least) == low && float_of(greatest) == high;
      });
}

}  // namespace held_out_11
