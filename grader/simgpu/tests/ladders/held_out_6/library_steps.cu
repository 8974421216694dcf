/// @file
/// A library's steps of blocks and warps in kernels of one's own, and of the device: blocks that add up,
/// blocks that sort, warps that sort, sums of segments, sums by key, a partition.
#include <cub/cub.cuh>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kThreads = 128, kItems = 8, kLibraryStepsTile = kThreads * kItems;

__global__ void __launch_bounds__(kThreads) block_scans(const unsigned* in, unsigned* out) {
  using Load = cub::BlockLoad<unsigned, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<unsigned, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<unsigned, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } room;
  unsigned v[kItems];
  const std::size_t first = blockIdx.x * std::size_t{kLibraryStepsTile};
  Load(room.load).Load(in + first, v);
  __syncthreads();
  Scan(room.scan).InclusiveSum(v, v);
  __syncthreads();
  Store(room.store).Store(out + first, v);
}
__global__ void __launch_bounds__(kThreads) block_sorts(const unsigned* in, unsigned* out) {
  using Sort = cub::BlockRadixSort<unsigned, kThreads, kItems>;
  __shared__ typename Sort::TempStorage room;
  unsigned keys[kItems];
  const std::size_t first = blockIdx.x * std::size_t{kLibraryStepsTile};
  cub::LoadDirectStriped<kThreads>(static_cast<int>(threadIdx.x), in + first, keys);
#pragma unroll
  for (unsigned& key : keys) key &= 0xffff;
  Sort(room).SortBlockedToStriped(keys, 0, 16);
  cub::StoreDirectStriped<kThreads>(static_cast<int>(threadIdx.x), out + first, keys);
}
/// A warp sorts 128 words by merging, four a thread.
__global__ void __launch_bounds__(128) warp_sorts(const unsigned* in, unsigned* out) {
  struct Less {
    __device__ bool operator()(unsigned a, unsigned b) const { return a < b; }
  };
  using Sort = cub::WarpMergeSort<unsigned, 4, 32>;
  __shared__ typename Sort::TempStorage room[4];
  const std::size_t i = global_index();
  uint4 v = reinterpret_cast<const uint4*>(in)[i];
  unsigned keys[4] = {v.x, v.y, v.z, v.w};
  Sort(room[threadIdx.x / 32]).Sort(keys, Less());
  reinterpret_cast<uint4*>(out)[i] = make_uint4(keys[0], keys[1], keys[2], keys[3]);
}
struct Plus {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct Low {
  __device__ bool operator()(unsigned w) const { return w < 1u << 30; }
};
class Working {
 public:
  explicit Working(const std::function<cudaError_t(void*, std::size_t&)>& step) : step_(step) {
    ladder::check(step_(nullptr, bytes_), "working room");
    at_ = room<char>(bytes_);
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working() { cudaFree(at_); }
  void operator()() { ladder::check(step_(at_, bytes_), "step"); }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
  std::function<cudaError_t(void*, std::size_t&)> step_;
};

}  // namespace

void library_steps(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "running sums of 1024 by a block's cub", 8.0 * real(m),
      [&] { block_scans<<<as_number(m / kLibraryStepsTile), kThreads>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, m / kLibraryStepsTile * kLibraryStepsTile, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / kLibraryStepsTile * kLibraryStepsTile; k <= i; ++k) sum += word_of(k);
          return sum;
        });
      });
  const std::size_t some = n / 32 / kLibraryStepsTile * kLibraryStepsTile;
  const auto sorted_by = [&](std::size_t tile, unsigned mask) {
    return [tile, mask](std::size_t i) {
      std::vector<unsigned> all(tile);
      for (std::size_t k = 0; k < tile; ++k) all[k] = word_of(i / tile * tile + k) & mask;
      std::sort(all.begin(), all.end());
      return all[i % tile];
    };
  };
  s.run(
      "sixteen bits of 1024 sorted by a block's cub", 8.0 * real(some),
      [&] { block_sorts<<<as_number(some / kLibraryStepsTile), kThreads>>>(s.words, s.numbers()); },
      [&] { return numbers(s, some, sorted_by(kLibraryStepsTile, 0xffff)); });
  s.run(
      "128 words sorted by a warp's cub", 8.0 * real(some),
      [&] { warp_sorts<<<as_number(some / 512), 128>>>(s.words, s.numbers()); },
      [&] { return numbers(s, some, sorted_by(128, ~0u)); });
  {
    const int segments = static_cast<int>(n / 32 / 200);
    std::vector<int> begins(static_cast<std::size_t>(segments) + 1);
    for (std::size_t k = 1; k < begins.size(); ++k)
      begins[k] = begins[k - 1] + 100 + static_cast<int>(word_of(k) % 200);
    int* there = kept(begins);
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(at, bytes, s.in, s.out, segments, there, there + 1);
    });
    s.run(
        "sums of segments by cub", 4.0 * begins.back(), [&] { work(); },
        [&] {
          return floats(s, static_cast<std::size_t>(segments), [&](std::size_t k) {
            double sum = 0;
            for (int i = begins[k]; i < begins[k + 1]; ++i) sum += float_of(static_cast<std::size_t>(i));
            return sum;
          });
        });
    cudaFree(there);
  }
  {
    const std::size_t items = n / 32;
    std::vector<unsigned> keys(items);
    for (std::size_t i = 1; i < items; ++i) keys[i] = keys[i - 1] + (word_of(i) % 6 == 0);
    unsigned* there = kept(keys);
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(at, bytes, there, s.numbers() + n / 4, s.in, s.out,
                                            s.numbers() + n / 2, Plus(), static_cast<int>(items));
    });
    s.run(
        "sums by key by cub", 8.0 * real(items) * 7 / 6, [&] { work(); },
        [&] {
          std::vector<double> want(keys.back() + std::size_t{1});
          for (std::size_t i = 0; i < items; ++i) want[keys[i]] += float_of(i);
          return s.number(n / 2) == want.size() &&
                 floats(s, want.size(), [&](std::size_t k) { return want[k]; });
        });
    cudaFree(there);
  }
  {
    Working work([&](void* at, std::size_t& bytes) {
      return cub::DevicePartition::If(at, bytes, s.words, s.numbers(), s.numbers() + n / 2,
                                      static_cast<int>(m), Low());
    });
    s.run(
        "low words before high ones by cub", 8.0 * real(m), [&] { work(); },
        [&] {
          std::vector<unsigned> low, high;
          for (std::size_t i = 0; i < m; ++i) (word_of(i) < 1u << 30 ? low : high).push_back(word_of(i));
          const auto got = taken(s.numbers(), m);
          return s.number(n / 2) == low.size() && std::equal(low.begin(), low.end(), got.begin()) &&
                 std::equal(high.rbegin(), high.rend(), got.begin() + static_cast<long>(low.size()));
        });
  }
}

}  // namespace held_out_6
