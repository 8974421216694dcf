/// @file
/// Sums of columns of halves, beginnings of lines by counts and their sums, keys sorted bit by bit in a
/// block; amounts of 64 bits in shared memory, bits set and greatest readings kept by atomics.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

using Wide = unsigned long long;

constexpr unsigned kHalfPairs = 48, kHalfLines = 8;
__global__ void __launch_bounds__(kHalfPairs* kHalfLines)
    columns_of_halves(const __half2* in, float* out, unsigned rows) {
  __shared__ float2 of_line[kHalfLines][kHalfPairs];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 4
  for (unsigned row = blockIdx.x * kHalfLines + y; row < rows; row += gridDim.x * kHalfLines) {
    const float2 v = __half22float2(in[row * kHalfPairs + x]);
    sum.x += v.x;
    sum.y += v.y;
  }
  of_line[y][x] = sum;
  __syncthreads();
  if (y != 0) return;
  for (unsigned k = 1; k < kHalfLines; ++k) {
    sum.x += of_line[k][x].x;
    sum.y += of_line[k][x].y;
  }
  atomicAdd(out + 2 * x, sum.x);
  atomicAdd(out + 2 * x + 1, sum.y);
}

constexpr unsigned kTextBlock = 256, kTextOfBlock = kTextBlock * 16, kEndsLine = 4;
/// A byte of ones for each letter that ends a line.
__device__ __forceinline__ unsigned ends_in(unsigned letters) {
  return __vcmpltu4(letters, kEndsLine * 0x01010101u);
}
__device__ __forceinline__ unsigned ends_counted(uint4 v) {
  return static_cast<unsigned>(__popc(ends_in(v.x)) + __popc(ends_in(v.y)) + __popc(ends_in(v.z)) +
                               __popc(ends_in(v.w))) /
         8;
}
__global__ void __launch_bounds__(kTextBlock) count_line_ends(const uint4* text, unsigned* counts) {
  __shared__ unsigned of_warp[kTextBlock / 32];
  const unsigned t = threadIdx.x;
  const unsigned sum = __reduce_add_sync(~0u, ends_counted(text[blockIdx.x * kTextBlock + t]));
  if (t % 32 == 0) of_warp[t / 32] = sum;
  __syncthreads();
  if (t != 0) return;
  unsigned all = 0;
  for (const unsigned each : of_warp) all += each;
  counts[blockIdx.x] = all;
}
/// Sums of those before, among the block's threads; @p of_warp has a word for each warp.
__device__ __forceinline__ unsigned sum_before(unsigned mine, unsigned* of_warp) {
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned upto = mine;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += before;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  unsigned ahead = upto - mine;
  for (unsigned w = 0; w < warp; ++w) ahead += of_warp[w];
  return ahead;
}
constexpr unsigned kCountAdders = 1024;
/// One block; the sum of all comes last.
__global__ void __launch_bounds__(kCountAdders)
    sum_line_ends(const unsigned* counts, unsigned* firsts, unsigned m) {
  __shared__ unsigned of_warp[kCountAdders / 32];
  const unsigned t = threadIdx.x, share = (m + kCountAdders - 1) / kCountAdders;
  const unsigned begin = min(t * share, m), end = min(begin + share, m);
  unsigned sum = 0;
  for (unsigned k = begin; k < end; ++k) sum += counts[k];
  unsigned ahead = sum_before(sum, of_warp);
  for (unsigned k = begin; k < end; ++k) {
    firsts[k] = ahead;
    ahead += counts[k];
  }
  if (t + 1 == kCountAdders) firsts[m] = ahead;
}
__global__ void __launch_bounds__(kTextBlock)
    list_lines(const uint4* text, const unsigned* firsts, unsigned* lines) {
  __shared__ unsigned of_warp[kTextBlock / 32];
  const unsigned i = blockIdx.x * kTextBlock + threadIdx.x;
  const uint4 v = text[i];
  unsigned at = firsts[blockIdx.x] + sum_before(ends_counted(v), of_warp);
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (unsigned w = 0; w < 4; ++w)
    for (unsigned ends = ends_in(words[w]) & 0x01010101u; ends != 0; ends &= ends - 1)
      lines[at++] = 16 * i + 4 * w + static_cast<unsigned>(__ffs(static_cast<int>(ends)) - 1) / 8 + 1;
}

constexpr unsigned kBitKeys = 1024, kKeyBits = 12;
/// Keys without a bit go before those with it, each kind in its order.
__global__ void __launch_bounds__(kBitKeys) sort_bit_by_bit(const unsigned* words, unsigned* out) {
  __shared__ unsigned keys[kBitKeys], without_of[32];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t base = blockIdx.x * std::size_t{kBitKeys};
  unsigned key = words[base + t];
  for (unsigned bit = 0; bit < kKeyBits; ++bit) {
    const bool with = (key >> bit & 1) != 0;
    const unsigned without = __ballot_sync(~0u, !with);
    if (lane == 0) without_of[warp] = static_cast<unsigned>(__popc(without));
    __syncthreads();
    if (warp == 0) {
      unsigned upto = without_of[lane];
      for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned before = __shfl_up_sync(~0u, upto, d);
        if (lane >= d) upto += before;
      }
      without_of[lane] = upto;
    }
    __syncthreads();
    const unsigned before =
        (warp == 0 ? 0 : without_of[warp - 1]) + static_cast<unsigned>(__popc(without & ((1u << lane) - 1)));
    keys[with ? without_of[31] + t - before : before] = key;
    __syncthreads();
    key = keys[t];
  }
  out[base + t] = key;
}

constexpr unsigned kBranches = 200;
__global__ void __launch_bounds__(256)
    amounts_of_branches(const unsigned* amounts, const unsigned* whose, Wide* totals, std::size_t m) {
  __shared__ Wide of_block[kBranches];
  for (unsigned k = threadIdx.x; k < kBranches; k += 256) of_block[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicAdd(of_block + place_of(whose[i], kBranches), Wide{amounts[i]});
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kBranches; k += 256) atomicAdd(totals + k, of_block[k]);
}

constexpr unsigned kDays = 31;
__global__ void mark_days(const unsigned* words, unsigned* days_of, unsigned cards, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicOr(days_of + place_of(words[i], cards), 1u << words[m + i] % kDays);
}

constexpr unsigned kSensors = 5000;
/// The time comes first in a word, then the reading's number.
__global__ void keep_latest(const unsigned* words, Wide* latest, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicMax(latest + place_of(words[i], kSensors), Wide{words[m + i]} << 32 | i);
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 4 / kHalfPairs);
  s.run(
      "sums of 96 columns of halves by blocks of 48 x 8", 4.0 * kHalfPairs * rows,
      [&] {
        columns_of_halves<<<s.sms * 4, dim3(kHalfPairs, kHalfLines)>>>(
            reinterpret_cast<const __half2*>(s.halves), s.out, rows);
      },
      [&] {
        return floats(s, 2 * kHalfPairs, [&](std::size_t column) {
          double sum = 0;
          for (std::size_t row = 0; row < rows; ++row) sum += half_of(row * 2 * kHalfPairs + column);
          return sum;
        });
      });

  const unsigned pages = as_number(n / 2 / kTextOfBlock);
  auto *counts = room<unsigned>(pages), *firsts = room<unsigned>(pages + 1);
  s.run(
      "beginnings of lines listed in three launches", 2.0625 * kTextOfBlock * pages,
      [&] {
        const auto* text = reinterpret_cast<const uint4*>(s.words);
        count_line_ends<<<pages, kTextBlock>>>(text, counts);
        sum_line_ends<<<1, kCountAdders>>>(counts, firsts, pages);
        list_lines<<<pages, kTextBlock>>>(text, firsts, s.numbers());
      },
      [&] {
        std::vector<unsigned> want;
        for (unsigned i = 0; i < kTextOfBlock * pages; ++i)
          if (byte_of(i) < kEndsLine) want.push_back(i + 1);
        return Checked::at(firsts, pages) == want.size() && taken(s.numbers(), want.size()) == want;
      });
  cudaFree(counts), cudaFree(firsts);

  const unsigned sorted = as_number(n / 64 / kBitKeys);
  s.run(
      "keys of twelve bits sorted bit by bit in a block", 8.0 * kBitKeys * sorted,
      [&] { sort_bit_by_bit<<<sorted, kBitKeys>>>(s.words, s.numbers()); },
      [&] {
        for (const std::size_t at : {std::size_t{0}, std::size_t{sorted} / 2, std::size_t{sorted} - 1}) {
          std::vector<unsigned> want(kBitKeys);
          for (std::size_t k = 0; k < kBitKeys; ++k) want[k] = word_of(at * kBitKeys + k);
          const auto key_of = [](unsigned word) { return word % (1u << kKeyBits); };
          std::stable_sort(want.begin(), want.end(),
                           [&](unsigned a, unsigned b) { return key_of(a) < key_of(b); });
          if (taken(s.numbers() + at * kBitKeys, kBitKeys) != want) return false;
        }
        return true;
      });

  const std::size_t amounts = n / 8;
  auto* totals = reinterpret_cast<Wide*>(s.out);
  s.run(
      "amounts of 200 branches in words of 64 bits in shared memory", 8.0 * real(amounts),
      [&] { amounts_of_branches<<<s.sms * 4, 256>>>(s.words, s.words + amounts, totals, amounts); },
      [&] {
        std::vector<Wide> want(kBranches);
        for (std::size_t i = 0; i < amounts; ++i)
          want[place_of(word_of(amounts + i), kBranches)] += word_of(i);
        return taken(totals, kBranches) == want;
      });

  const unsigned cards = as_number(n / 64), visits = as_number(n / 16);
  s.run(
      "days on which cards were used, bits set by atomics", 8.0 * visits,
      [&] { mark_days<<<Set::blocks(visits), 256>>>(s.words, s.numbers(), cards, visits); },
      [&] {
        std::vector<unsigned> want(cards);
        for (std::size_t i = 0; i < visits; ++i)
          want[place_of(word_of(i), cards)] |= 1u << word_of(visits + i) % kDays;
        return taken(s.numbers(), cards) == want;
      });
  const unsigned readings = as_number(n / 16);
  s.run(
      "latest readings of 5000 sensors by greatest of 64 bits", 8.0 * readings,
      [&] { keep_latest<<<Set::blocks(readings), 256>>>(s.words, totals, readings); },
      [&] {
        std::vector<Wide> want(kSensors);
        for (std::size_t i = 0; i < readings; ++i) {
          Wide& latest = want[place_of(word_of(i), kSensors)];
          latest = std::max(latest, Wide{word_of(readings + i)} << 32 | i);
        }
        return taken(totals, kSensors) == want;
      });
}

}  // namespace held_out_12
