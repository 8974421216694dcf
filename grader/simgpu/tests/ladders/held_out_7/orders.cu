/// @file
/// Orders within a block: sums before each of 1152 raked by nines, 512 words sorted by odd and even merges,
/// 4096 bytes sorted by counting them.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr unsigned kRake = 9, kRaked = 128 * kRake;
__global__ void __launch_bounds__(128) raked_sums(const unsigned* in, unsigned* out) {
  __shared__ unsigned v[kRaked], warps[4];
  const unsigned t = threadIdx.x, lane = t & 31;
  const std::size_t base = blockIdx.x * std::size_t{kRaked};
#pragma unroll
  for (unsigned k = 0; k < kRake; ++k) v[k * 128 + t] = in[base + k * 128 + t];
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kRake; ++k) {
    const unsigned own = v[t * kRake + k];
    v[t * kRake + k] = sum;
    sum += own;
  }
  unsigned through = sum;
#pragma unroll
  for (unsigned d = 1; d < 32; d <<= 1) {
    const unsigned left = __shfl_up_sync(~0u, through, d);
    if (lane >= d) through += left;
  }
  if (lane == 31) warps[t / 32] = through;
  __syncthreads();
  unsigned before = through - sum;
  for (unsigned w = 0; w < t / 32; ++w) before += warps[w];
#pragma unroll
  for (unsigned k = 0; k < kRake; ++k) v[t * kRake + k] += before;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kRake; ++k) out[base + k * 128 + t] = v[k * 128 + t];
}

constexpr unsigned kSorted = 512;
/// Batcher's merges of odd and even places.
__global__ void __launch_bounds__(kSorted / 2) odd_even_merges(const unsigned* in, unsigned* out) {
  __shared__ unsigned v[kSorted];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kSorted};
  v[t] = in[base + t];
  v[t + kSorted / 2] = in[base + t + kSorted / 2];
  for (unsigned size = 2; size <= kSorted; size <<= 1) {
    const unsigned within = t & (size / 2 - 1);
    unsigned step = size / 2;
    __syncthreads();
    {
      const unsigned at = 2 * t - (t & (step - 1)), a = v[at], b = v[at + step];
      if (a > b) v[at] = b, v[at + step] = a;
      step >>= 1;
    }
    for (; step > 0; step >>= 1) {
      __syncthreads();
      const unsigned at = 2 * t - (t & (step - 1));
      if (within >= step) {
        const unsigned a = v[at - step], b = v[at];
        if (a > b) v[at - step] = b, v[at] = a;
      }
    }
  }
  __syncthreads();
  out[base + t] = v[t];
  out[base + t + kSorted / 2] = v[t + kSorted / 2];
}

constexpr unsigned kBytes = 4096;
__global__ void __launch_bounds__(256) sort_by_counting(const uchar4* in, uchar4* out) {
  __shared__ unsigned count[256], begin[257];
  __shared__ uchar4 sorted[kBytes / 4];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kBytes / 4};
  count[t] = 0;
  __syncthreads();
  for (unsigned k = t; k < kBytes / 4; k += 256) {
    const uchar4 v = in[base + k];
    atomicAdd(&count[v.x], 1u), atomicAdd(&count[v.y], 1u), atomicAdd(&count[v.z], 1u),
        atomicAdd(&count[v.w], 1u);
  }
  __syncthreads();
  if (t < 32) {  // eight classes a lane
    unsigned own[8], sum = 0;
    for (unsigned k = 0; k < 8; ++k) own[k] = sum, sum += count[t * 8 + k];
    unsigned through = sum;
    for (unsigned d = 1; d < 32; d *= 2) {
      const unsigned left = __shfl_up_sync(~0u, through, d);
      if (t >= d) through += left;
    }
    for (unsigned k = 0; k < 8; ++k) begin[t * 8 + k] = own[k] + through - sum;
    if (t == 31) begin[256] = through;
  }
  __syncthreads();
  auto* bytes = reinterpret_cast<unsigned char*>(sorted);
  for (unsigned k = begin[t]; k < begin[t + 1]; ++k) bytes[k] = static_cast<unsigned char>(t);
  __syncthreads();
  for (unsigned k = t; k < kBytes / 4; k += 256) out[base + k] = sorted[k];
}

}  // namespace

void orders(Set& s) {
  const std::size_t n = s.n, raked = n / 8 / kRaked;
  s.run(
      "sums before each of 1152 raked by nines", 8.0 * kRaked * real(raked),
      [&] { raked_sums<<<as_number(raked), 128>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, raked * kRaked, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / kRaked * kRaked; k < i; ++k) sum += word_of(k);
          return sum;
        });
      });
  const unsigned blocks = as_number(n / 64 / kSorted);
  s.run(
      "512 words sorted by Batcher's merges", 8.0 * kSorted * blocks,
      [&] { odd_even_merges<<<blocks, kSorted / 2>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, std::size_t{kSorted} * blocks, [](std::size_t i) {
          std::vector<unsigned> all(kSorted);
          for (std::size_t k = 0; k < kSorted; ++k) all[k] = word_of(i / kSorted * kSorted + k);
          std::sort(all.begin(), all.end());
          return all[i % kSorted];
        });
      });
  const unsigned texts = as_number(n / 16 / (kBytes / 4));
  s.run(
      "4096 bytes sorted by counting them", 2.0 * kBytes * texts,
      [&] {
        sort_by_counting<<<texts, 256>>>(reinterpret_cast<const uchar4*>(s.words),
                                         reinterpret_cast<uchar4*>(s.out));
      },
      [&] {
        return Set::each(std::size_t{kBytes} * texts, [&](std::size_t i) {
          std::vector<unsigned> all(kBytes);
          for (std::size_t k = 0; k < kBytes; ++k) all[k] = byte_of(i / kBytes * kBytes + k);
          std::sort(all.begin(), all.end());
          return s.byte(i) == all[i % kBytes];
        });
      });
}

}  // namespace held_out_7
