/// @file
/// Lanes and threads of a block that pass words on: neighbours by shuffles, a block's words mixed, twelve
/// words of a thread's own in shared memory, tiles of 160 kB turned round, sums modulo a prime.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

/// A warp reads 32 and writes 28 in the middle: what lanes hold is passed to two on either side.
__global__ void five_neighbours(const float* in, float* out, std::size_t warps) {
  const std::size_t warp = global_index() / 32, lane = threadIdx.x % 32;
  if (warp >= warps) return;
  const float v = in[warp * 28 + lane];
  const float near = __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 1),
              far = __shfl_up_sync(~0u, v, 2) + __shfl_down_sync(~0u, v, 2);
  if (lane >= 2 && lane < 30) out[warp * 28 + lane] = 0.4f * v + 0.2f * near + 0.1f * far;
}
constexpr unsigned kMixed = 1024;
/// Each block has an order of its own.
__host__ __device__ __forceinline__ unsigned mixed_place(unsigned t, unsigned word) {
  return ((t ^ word >> 10) * (word | 1) + (word >> 20)) % kMixed;
}
__global__ void __launch_bounds__(kMixed) mixed(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[kMixed];
  const std::size_t base = blockIdx.x * std::size_t{kMixed};
  const unsigned word = in[blockIdx.x];
  all[mixed_place(threadIdx.x, word)] = in[base + threadIdx.x];
  __syncthreads();
  out[base + threadIdx.x] = all[threadIdx.x];
}
constexpr unsigned kOwn = 12;
/// A thread's words lie side by side; each time round, every one becomes the sum of those up to it.
__global__ void __launch_bounds__(128) own_words(const unsigned* in, unsigned* out, std::size_t m) {
  __shared__ unsigned all[128 * kOwn];
  const std::size_t t = global_index();
  unsigned* mine = all + threadIdx.x * kOwn;
  for (unsigned k = 0; k < kOwn; ++k) mine[k] = in[k * m + t];
#pragma unroll 1
  for (unsigned round = 0; round < 6; ++round) {
    unsigned sum = round;
#pragma unroll 1
    for (unsigned k = 0; k < kOwn; ++k) {
      sum += mine[k];
      mine[k] = sum;
    }
  }
  for (unsigned k = 0; k < kOwn; ++k) out[k * m + t] = mine[k];
}
constexpr unsigned kLarge = 40960;
__global__ void __launch_bounds__(1024) turned_round(const float4* in, float4* out) {
  extern __shared__ float4 large[];
  const std::size_t base = blockIdx.x * std::size_t{kLarge / 4};
  for (unsigned k = threadIdx.x; k < kLarge / 4; k += 1024) large[k] = in[base + k];
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kLarge / 4; k += 1024) {
    const float4 v = large[kLarge / 4 - 1 - k];
    out[base + k] = make_float4(v.w, v.z, v.y, v.x);
  }
}
constexpr unsigned kPrime = 12289, kLength = 256;
__host__ __device__ __forceinline__ unsigned power(unsigned base, unsigned exponent) {
  unsigned result = 1;
  for (; exponent > 0; exponent >>= 1, base = base * base % kPrime)
    if ((exponent & 1) != 0) result = result * base % kPrime;
  return result;
}
/// Sum k is of all words times powers of the (bit-reversed k)-th root of one; @p roots holds 128 of them.
__global__ void __launch_bounds__(128)
    modulo_a_prime(const unsigned* in, const unsigned* roots, unsigned* out) {
  __shared__ unsigned line[kLength], root[kLength / 2];
  const std::size_t base = blockIdx.x * std::size_t{kLength};
  const unsigned t = threadIdx.x;
  root[t] = roots[t];
  line[t] = in[base + t] % kPrime, line[t + 128] = in[base + t + 128] % kPrime;
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    const unsigned low = t / half * half * 2 + t % half;
    const unsigned a = line[low], b = line[low + half];
    line[low] = (a + b) % kPrime;
    line[low + half] = (a + kPrime - b) * root[t % half * (128 / half)] % kPrime;
  }
  __syncthreads();
  out[base + t] = line[t], out[base + t + 128] = line[t + 128];
}

}  // namespace

void exchanges(Set& s) {
  const std::size_t n = s.n, warps = n / 256;
  s.run(
      "five neighbours by shuffles", 8.0 * 28 * real(warps),
      [&] { five_neighbours<<<Set::blocks(warps, 8), 256>>>(s.in, s.out, warps); },
      [&] {
        return Set::each(28 * warps, [&](std::size_t k) {
          const std::size_t i = k + 2;
          return Set::near(s.value(i), 0.4 * float_of(i) + 0.2 * (double{float_of(i - 1)} + float_of(i + 1)) +
                                           0.1 * (double{float_of(i - 2)} + float_of(i + 2)));
        });
      });
  const unsigned blocks = as_number(n / 8 / kMixed);
  s.run(
      "words of a block mixed", real(n), [&] { mixed<<<blocks, kMixed>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(blocks * std::size_t{kMixed},
                         [&](std::size_t i) {
                           const std::size_t b = i / kMixed;
                           const unsigned place = mixed_place(as_number(i % kMixed), word_of(b));
                           return s.number(b * kMixed + place) == word_of(i) && (i == 0 || word_of(i) != 0);
                         }) &&
               s.number(n / 16) != 0;
      });
  const std::size_t threads = n / 256;
  s.run(
      "twelve words of a thread in shared memory", 8.0 * kOwn * real(threads),
      [&] { own_words<<<as_number(threads / 128), 128>>>(s.words, s.numbers(), threads); },
      [&] {
        return numbers(s, kOwn * threads, [&](std::size_t i) {
          unsigned mine[kOwn];
          for (std::size_t k = 0; k < kOwn; ++k) mine[k] = word_of(k * threads + i % threads);
          for (unsigned round = 0; round < 6; ++round) {
            unsigned sum = round;
            for (unsigned& v : mine) v = sum += v;
          }
          return mine[i / threads];
        });
      });
  ladder::check(cudaFuncSetAttribute(turned_round, cudaFuncAttributeMaxDynamicSharedMemorySize, kLarge * 4),
                "shared memory");
  const unsigned tiles = s.sms * 2;
  s.run(
      "tiles of 160 kB turned round", 8.0 * kLarge * tiles,
      [&] { turned_round<<<tiles, 1024, kLarge * 4>>>(reinterpret_cast<float4*>(s.in), s.vectors()); },
      [&] {
        return within(s, tiles * std::size_t{kLarge}, 0, [](std::size_t i) {
          return double{float_of(i / kLarge * kLarge + kLarge - 1 - i % kLarge)};
        });
      });
  // 11 leads to all but nought; its power of 48 has order 256.
  const unsigned step = power(11, (kPrime - 1) / kLength);
  std::vector<unsigned> powers(128);
  for (unsigned k = 0; k < 128; ++k) powers[k] = power(step, k);
  unsigned* roots = kept(powers);
  const unsigned lines = as_number(n / 64 / kLength);
  s.run(
      "sums of 256 modulo a prime", 8.0 * kLength * lines,
      [&] { modulo_a_prime<<<lines, 128>>>(s.words, roots, s.numbers()); },
      [&] {
        return numbers(s, lines * std::size_t{kLength}, [&](std::size_t i) {
          unsigned turned = 0, sum = 0;
          for (unsigned b = 0; b < 8; ++b) turned |= (as_number(i) >> b & 1) << (7 - b);
          for (unsigned k = 0; k < kLength; ++k)
            sum = (sum + word_of(i / kLength * kLength + k) % kPrime * power(step, turned * k % kLength)) %
                  kPrime;
          return sum;
        });
      });
  cudaFree(roots);
}

}  // namespace held_out_4
