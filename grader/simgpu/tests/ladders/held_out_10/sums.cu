/// @file
/// A sum by trees of blocks, running sums of 2048 by shuffles, counts in many bins and in few, keys with
/// their places sorted by blocks.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

__global__ void __launch_bounds__(256)
    absolute_differences(const float* a, const float* b, double* total, unsigned m) {
  __shared__ float tree[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
  float mine = i < m ? fabsf(a[i] - b[i]) : 0.0f;
  if (i + 256 < m) mine += fabsf(a[i + 256] - b[i + 256]);
  tree[t] = mine;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (t < half) tree[t] += tree[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, double{tree[0]});
}

constexpr unsigned kEntries = 2048;
__host__ __device__ __forceinline__ int entry_of(unsigned word) {
  return static_cast<int>(word % 1000) - 450;
}
/// A block has an account, a thread eight of its entries.
__global__ void __launch_bounds__(256) balances(const unsigned* words, int* out) {
  __shared__ int of_warp[8];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t base = blockIdx.x * std::size_t{kEntries} + t * 8;
  const uint4 first = *reinterpret_cast<const uint4*>(words + base),
              second = *reinterpret_cast<const uint4*>(words + base + 4);
  int upto[8] = {entry_of(first.x),  entry_of(first.y),  entry_of(first.z),  entry_of(first.w),
                 entry_of(second.x), entry_of(second.y), entry_of(second.z), entry_of(second.w)};
#pragma unroll
  for (unsigned k = 1; k < 8; ++k) upto[k] += upto[k - 1];
  int whole = upto[7];
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const int before = __shfl_up_sync(~0u, whole, d);
    if (lane >= d) whole += before;
  }
  if (lane == 31) of_warp[warp] = whole;
  __syncthreads();
  int ahead = whole - upto[7];
  for (unsigned w = 0; w < warp; ++w) ahead += of_warp[w];
  *reinterpret_cast<int4*>(out + base) =
      make_int4(upto[0] + ahead, upto[1] + ahead, upto[2] + ahead, upto[3] + ahead);
  *reinterpret_cast<int4*>(out + base + 4) =
      make_int4(upto[4] + ahead, upto[5] + ahead, upto[6] + ahead, upto[7] + ahead);
}

constexpr unsigned kHeights = 20000;
/// Those in the middle are commonest.
__host__ __device__ __forceinline__ unsigned height_of(unsigned word) {
  return ((word & 0xffff) + (word >> 16)) * kHeights >> 17;
}
__global__ void count_heights(const unsigned* words, unsigned* counts, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(counts + height_of(words[i]), 1u);
}

constexpr unsigned kMonths = 12;
__host__ __device__ __forceinline__ unsigned month_of(unsigned word) {
  return word % 365 * 12 / 365;
}
__global__ void count_births(const unsigned* words, unsigned* counts, std::size_t m) {
  __shared__ unsigned of_block[kMonths];
  if (threadIdx.x < kMonths) of_block[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(of_block + month_of(words[i]), 1u);
  __syncthreads();
  if (threadIdx.x < kMonths) atomicAdd(counts + threadIdx.x, of_block[threadIdx.x]);
}

constexpr unsigned kRanked = 2048;
/// Equal keys stay in the order of their places.
__global__ void __launch_bounds__(kRanked / 2)
    sort_with_places(const float* in, float* keys, unsigned* from) {
  __shared__ float key[kRanked];
  __shared__ unsigned place[kRanked];
  const std::size_t base = blockIdx.x * std::size_t{kRanked};
  for (unsigned k = threadIdx.x; k < kRanked; k += kRanked / 2) key[k] = in[base + k], place[k] = k;
  for (unsigned size = 2; size <= kRanked; size *= 2)
    for (unsigned apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      const unsigned a = threadIdx.x / apart * 2 * apart + threadIdx.x % apart, b = a + apart;
      const bool rising = (a & size) == 0;
      const bool greater = key[a] > key[b] || (key[a] == key[b] && place[a] > place[b]);
      if (greater == rising) {
        const float other_key = key[a];
        key[a] = key[b], key[b] = other_key;
        const unsigned other_place = place[a];
        place[a] = place[b], place[b] = other_place;
      }
    }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kRanked; k += kRanked / 2)
    keys[base + k] = key[k], from[base + k] = place[k];
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned compared = as_number(n / 4);
  auto* total = reinterpret_cast<double*>(s.out);
  s.run(
      "sum of absolute differences by trees of 256", 8.0 * compared,
      [&] { absolute_differences<<<Set::blocks(compared, 512), 256>>>(s.in, s.other, total, compared); },
      [&] {
        double want = 0;
        for (std::size_t i = 0; i < compared; ++i) want += std::abs(double{float_of(i)} - other_of(i));
        return Set::near(Checked::at(total, 0), want, 1e-5);
      });
  const unsigned accounts = as_number(n / 4 / kEntries);
  s.run(
      "balances of accounts after each of 2048 entries", 8.0 * kEntries * accounts,
      [&] { balances<<<accounts, 256>>>(s.words, reinterpret_cast<int*>(s.out)); },
      [&] {
        return numbers(s, std::size_t{kEntries} * accounts, [](std::size_t i) {
          int sum = 0;
          for (std::size_t k = i / kEntries * kEntries; k <= i; ++k) sum += entry_of(word_of(k));
          return static_cast<unsigned>(sum);
        });
      });

  const auto counted = [&](std::size_t m, unsigned bins, unsigned (*bin_of)(unsigned)) {
    std::vector<unsigned> want(bins);
    for (std::size_t i = 0; i < m; ++i) ++want[bin_of(word_of(i))];
    return taken(s.numbers(), bins) == want;
  };
  const unsigned heights = as_number(n / 16);
  s.run(
      "heights counted in 20000 bins of global memory", 4.0 * heights,
      [&] { count_heights<<<Set::blocks(heights), 256>>>(s.words, s.numbers(), heights); },
      [&] { return counted(heights, kHeights, height_of); });
  const std::size_t births = n / 8;
  s.run(
      "births counted by month in shared memory", 4.0 * real(births),
      [&] { count_births<<<s.sms * 8, 256>>>(s.words, s.numbers(), births); },
      [&] { return counted(births, kMonths, month_of); });

  const unsigned groups = as_number(n / 32 / kRanked);
  auto* from = s.numbers() + n / 2;
  s.run(
      "2048 floats and their places sorted by a block", 12.0 * kRanked * groups,
      [&] { sort_with_places<<<groups, kRanked / 2>>>(s.in, s.out, from); },
      [&] {
        for (const std::size_t group : {std::size_t{0}, std::size_t{groups} / 2, std::size_t{groups} - 1}) {
          const std::size_t base = group * kRanked;
          std::vector<unsigned> want(kRanked);
          for (unsigned k = 0; k < kRanked; ++k) want[k] = k;
          std::stable_sort(want.begin(), want.end(),
                           [&](unsigned a, unsigned b) { return float_of(base + a) < float_of(base + b); });
          if (taken(from + base, kRanked) != want) return false;
          const auto keys = taken(s.out + base, kRanked);
          for (unsigned k = 0; k < kRanked; ++k)
            if (keys[k] != float_of(base + want[k])) return false;
        }
        return true;
      });
}

}  // namespace held_out_10
