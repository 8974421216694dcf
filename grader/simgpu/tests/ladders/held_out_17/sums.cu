/// @file
/// Sums, counts and orders: logarithms of sums of exponentials, parities of bits, samples counted in most of an SM's
/// shared memory, pairs added by atomics, bounds of classes, a network in registers.
#include <algorithm>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kExponentialRow = 2048, kExponentialThreads = 256,
                   kExponentialWarps = kExponentialThreads / 32;
/// The greatest is taken away first, so that no exponential is too large.
__global__ void __launch_bounds__(kExponentialThreads)
    logarithms_of_exponentials(const float4* in, float2* out) {
  __shared__ float greatest_of_warp[kExponentialWarps], sum_of_warp[kExponentialWarps];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float4* row = in + std::size_t{blockIdx.x} * (kExponentialRow / 4);
  const float4 u = row[t], v = row[kExponentialThreads + t];
  float greatest = fmaxf(fmaxf(fmaxf(u.x, u.y), fmaxf(u.z, u.w)), fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
#pragma unroll
  for (int d = 16; d > 0; d /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, d));
  if (lane == 0) greatest_of_warp[warp] = greatest;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kExponentialWarps; ++k) greatest = fmaxf(greatest, greatest_of_warp[k]);
  float sum =
      (__expf(u.x - greatest) + __expf(u.y - greatest)) + (__expf(u.z - greatest) + __expf(u.w - greatest)) +
      (__expf(v.x - greatest) + __expf(v.y - greatest)) + (__expf(v.z - greatest) + __expf(v.w - greatest));
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) sum_of_warp[warp] = sum;
  __syncthreads();
  if (t == 0) {
    sum = 0.0f;
    for (const float each : sum_of_warp) sum += each;
    out[blockIdx.x] = make_float2(greatest, logf(sum));
  }
}

constexpr unsigned kParityWords = 1024, kParityThreads = kParityWords / 4, kParityWarps = kParityThreads / 32;
/// Each bit becomes the parity of those up to it.
__host__ __device__ __forceinline__ unsigned parities_within(unsigned word) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned d = 1; d < 32; d *= 2) word ^= word << d;
  return word;
}
__global__ void __launch_bounds__(kParityThreads) run_parities(const uint4* in, uint4* out) {
  __shared__ unsigned of_warps[kParityWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t i = global_index();
  uint4 v = in[i];
  v.x = parities_within(v.x);
  v.y = parities_within(v.y) ^ (v.x >> 31 ? ~0u : 0u);
  v.z = parities_within(v.z) ^ (v.y >> 31 ? ~0u : 0u);
  v.w = parities_within(v.w) ^ (v.z >> 31 ? ~0u : 0u);
  const unsigned odd = __ballot_sync(~0u, v.w >> 31);
  if (lane == 0) of_warps[warp] = __popc(odd);
  __syncthreads();
  unsigned before = __popc(odd & ((1u << lane) - 1));
  for (unsigned k = 0; k < warp; ++k) before += of_warps[k];
  const unsigned turned = before % 2 == 1 ? ~0u : 0u;
  out[i] = make_uint4(v.x ^ turned, v.y ^ turned, v.z ^ turned, v.w ^ turned);
}

constexpr unsigned kSampleBins = 1u << 15, kSampleThreads = 1024,
                   kSampleBytes = kSampleBins * sizeof(unsigned);
/// A word has two samples.
__global__ void __launch_bounds__(kSampleThreads) count_samples(const uint4* in, unsigned* out, unsigned m) {
  extern __shared__ unsigned bins_of_samples[];
  for (unsigned k = threadIdx.x; k < kSampleBins; k += kSampleThreads) bins_of_samples[k] = 0;
  __syncthreads();
  const auto count = [&](unsigned word) {
    atomicAdd(bins_of_samples + (word & (kSampleBins - 1)), 1u);
    atomicAdd(bins_of_samples + (word >> 17), 1u);
  };
  for (unsigned i = blockIdx.x * kSampleThreads + threadIdx.x; i < m; i += gridDim.x * kSampleThreads) {
    const uint4 v = in[i];
    count(v.x), count(v.y), count(v.z), count(v.w);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kSampleBins; k += kSampleThreads)
    if (bins_of_samples[k] != 0) atomicAdd(out + k, bins_of_samples[k]);
}

constexpr unsigned kPairPlacesOfSm = 256;
__global__ void __launch_bounds__(256)
    add_pairs(const unsigned* words, const float2* pairs, float2* out, unsigned pair_places, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(out + place_of(words[i], pair_places), pairs[i]);
}

constexpr unsigned kBoundClasses = 720, kBoundThreads = 256;
__host__ __device__ __forceinline__ unsigned bounded_value(unsigned word) {
  return word / kBoundClasses;
}
/// Least ones come first in what is put out, then greatest ones.
__global__ void __launch_bounds__(kBoundThreads)
    bounds_of_classes(const unsigned* words, unsigned* out, unsigned m) {
  __shared__ unsigned least[kBoundClasses], greatest[kBoundClasses];
  for (unsigned k = threadIdx.x; k < kBoundClasses; k += kBoundThreads) {
    least[k] = ~0u;
    greatest[k] = 0;
  }
  __syncthreads();
  for (unsigned i = blockIdx.x * kBoundThreads + threadIdx.x; i < m; i += gridDim.x * kBoundThreads) {
    const unsigned word = words[i], of = word % kBoundClasses, value = bounded_value(word);
    atomicMin(least + of, value);
    atomicMax(greatest + of, value);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kBoundClasses; k += kBoundThreads) {
    atomicMin(out + k, least[k]);
    atomicMax(out + kBoundClasses + k, greatest[k]);
  }
}

constexpr unsigned kInRegisters = 16;
/// The bitonic network; a thread's floats are m apart.
__global__ void __launch_bounds__(128) sort_in_registers(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float v[kInRegisters];
#pragma unroll
  for (unsigned k = 0; k < kInRegisters; ++k) v[k] = in[std::size_t{k} * m + i];
#pragma unroll
  for (unsigned run = 2; run <= kInRegisters; run *= 2)
#pragma unroll
    for (unsigned away = run / 2; away > 0; away /= 2)
#pragma unroll
      for (unsigned k = 0; k < kInRegisters; ++k)
        if ((k & away) == 0) {
          const float a = v[k], b = v[k | away];
          const bool rises = (k & run) == 0;
          v[k] = rises ? fminf(a, b) : fmaxf(a, b);
          v[k | away] = rises ? fmaxf(a, b) : fminf(a, b);
        }
#pragma unroll
  for (unsigned k = 0; k < kInRegisters; ++k) out[std::size_t{k} * m + i] = v[k];
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 4 / kExponentialRow);
  s.run(
      "greatest of rows of 2048, and logarithms of sums of exponentials below it",
      (4.0 * kExponentialRow + 8.0) * rows,
      [&] {
        logarithms_of_exponentials<<<rows, kExponentialThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                                  reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return floats(s, 2 * std::size_t{rows}, [](std::size_t i) {
          const std::size_t first = i / 2 * kExponentialRow;
          double greatest = 0, sum = 0;
          for (std::size_t k = 0; k < kExponentialRow; ++k)
            greatest = std::max(greatest, double{float_of(first + k)});
          if (i % 2 == 0) return greatest;
          for (std::size_t k = 0; k < kExponentialRow; ++k) sum += std::exp(float_of(first + k) - greatest);
          return std::log(sum);
        });
      });

  const unsigned segments = as_number(n / 8 / kParityWords);
  s.run(
      "parities of all bits up to each, in segments of 1024 words", 8.0 * kParityWords * segments,
      [&] {
        run_parities<<<segments, kParityThreads>>>(reinterpret_cast<const uint4*>(s.words),
                                                   reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        return numbers(s, std::size_t{kParityWords} * segments, [](std::size_t i) {
          unsigned before = 0;
          for (std::size_t k = i / kParityWords * kParityWords; k < i; ++k) before ^= word_of(k);
          return parities_within(word_of(i)) ^ (parities_within(before) >> 31 ? ~0u : 0u);
        });
      });

  const unsigned sampled = as_number(n / 8 / 4);
  ladder::check(
      cudaFuncSetAttribute(count_samples, cudaFuncAttributeMaxDynamicSharedMemorySize, kSampleBytes),
      "shared memory");
  s.run(
      "samples of fifteen bits counted in 128 kB of shared memory, one block an SM", 16.0 * sampled,
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kSampleBytes);
        count_samples<<<s.sms, kSampleThreads, kSampleBytes>>>(reinterpret_cast<const uint4*>(s.words),
                                                               s.numbers(), sampled);
      },
      [&] {
        std::vector<unsigned> want(kSampleBins);
        for (std::size_t i = 0; i < 4 * std::size_t{sampled}; ++i) {
          ++want[word_of(i) % kSampleBins];
          ++want[word_of(i) >> 17];
        }
        return taken(s.numbers(), kSampleBins) == want;
      });

  const unsigned pairs = as_number(n / 32), pair_places = kPairPlacesOfSm * s.sms;
  s.run(
      "pairs of floats added by atomics of pairs to 256 places an SM", 12.0 * pairs,
      [&] {
        cudaMemsetAsync(s.out, 0, pair_places * sizeof(float2));
        add_pairs<<<Set::blocks(pairs), 256>>>(s.words, reinterpret_cast<const float2*>(s.in),
                                               reinterpret_cast<float2*>(s.out), pair_places, pairs);
      },
      [&] {
        std::vector<double> want(2 * std::size_t{pair_places});
        for (std::size_t i = 0; i < pairs; ++i) {
          const std::size_t at = place_of(word_of(i), pair_places);
          want[2 * at] += float_of(2 * i);
          want[2 * at + 1] += float_of(2 * i + 1);
        }
        return floats(s, want.size(), [&](std::size_t i) { return want[i]; });
      });

  const unsigned bounded = as_number(n / 8);
  s.run(
      "least and greatest of 720 classes, kept in shared memory", 4.0 * bounded,
      [&] {
        cudaMemsetAsync(s.out, 0xff, kBoundClasses * sizeof(unsigned));
        cudaMemsetAsync(s.out + kBoundClasses, 0, kBoundClasses * sizeof(unsigned));
        bounds_of_classes<<<s.sms * 8, kBoundThreads>>>(s.words, s.numbers(), bounded);
      },
      [&] {
        std::vector<unsigned> want(2 * std::size_t{kBoundClasses});
        std::fill_n(want.begin(), kBoundClasses, ~0u);
        for (std::size_t i = 0; i < bounded; ++i) {
          const unsigned word = word_of(i), of = word % kBoundClasses;
          want[of] = std::min(want[of], bounded_value(word));
          want[kBoundClasses + of] = std::max(want[kBoundClasses + of], bounded_value(word));
        }
        return taken(s.numbers(), want.size()) == want;
      });

  const unsigned sorted = as_number(n / 8 / kInRegisters);
  s.run(
      "sixteen floats sorted in each thread's registers by a bitonic network", 8.0 * kInRegisters * sorted,
      [&] { sort_in_registers<<<Set::blocks(sorted, 128), 128>>>(s.in, s.out, sorted); },
      [&] {
        return floats(s, std::size_t{kInRegisters} * sorted, [&](std::size_t i) {
          std::vector<double> v(kInRegisters);
          for (std::size_t k = 0; k < kInRegisters; ++k) v[k] = float_of(k * sorted + i % sorted);
          std::sort(v.begin(), v.end());
          return v[i / sorted];
        });
      });
}

}  // namespace held_out_17
