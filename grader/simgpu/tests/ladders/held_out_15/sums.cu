/// @file
/// Sums and counts: ranges of doubles, running sums of bytes, directions counted by degrees, pairs of halves
/// added by atomics, different keys counted by compare and swap.
#include <algorithm>

#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kRanged = 4096, kRangedThreads = 256;
/// How far the greatest is above the least.
__global__ void __launch_bounds__(kRangedThreads) ranges_of_doubles(const double2* in, double* out) {
  __shared__ double least_of[kRangedThreads / 32], greatest_of[kRangedThreads / 32];
  const double2* own = in + std::size_t{blockIdx.x} * (kRanged / 2) + threadIdx.x;
  double least = own->x, greatest = least;
#pragma unroll
  for (unsigned k = 0; k < kRanged / 2; k += kRangedThreads) {
    const double2 v = own[k];
    least = fmin(least, fmin(v.x, v.y));
    greatest = fmax(greatest, fmax(v.x, v.y));
  }
  for (int d = 16; d > 0; d /= 2) {
    least = fmin(least, __shfl_xor_sync(~0u, least, d));
    greatest = fmax(greatest, __shfl_xor_sync(~0u, greatest, d));
  }
  if (threadIdx.x % 32 == 0) {
    least_of[threadIdx.x / 32] = least;
    greatest_of[threadIdx.x / 32] = greatest;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < kRangedThreads / 32; ++w) {
    least = fmin(least, least_of[w]);
    greatest = fmax(greatest, greatest_of[w]);
  }
  out[blockIdx.x] = greatest - least;
}

constexpr unsigned kRunningThreads = 256, kRunningEach = 16, kRunningBytes = kRunningThreads * kRunningEach;
/// The sums before each byte of a block's, modulo 65536, with threads' sums added by doubling in shared memory.
__global__ void __launch_bounds__(kRunningThreads) running_sums_of_bytes(const uint4* in, uint4* out) {
  __shared__ unsigned all[2][kRunningThreads];
  const unsigned t = threadIdx.x;
  const uint4 v = in[global_index()];
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  unsigned before[kRunningEach], sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kRunningEach; ++k) {
    before[k] = sum;
    sum += words[k / 4] >> (8 * (k % 4)) & 255;
  }
  unsigned side = 0;
  all[0][t] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned d = 1; d < kRunningThreads; d *= 2, side = 1 - side) {
    all[1 - side][t] = all[side][t] + (t >= d ? all[side][t - d] : 0);
    __syncthreads();
  }
  const unsigned first = all[side][t] - sum;
  unsigned pairs[kRunningEach / 2];
#pragma unroll
  for (unsigned k = 0; k < kRunningEach / 2; ++k)
    pairs[k] = (first + before[2 * k] & 0xffff) | first + before[2 * k + 1] << 16;
  out[2 * global_index()] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
  out[2 * global_index() + 1] = make_uint4(pairs[4], pairs[5], pairs[6], pairs[7]);
}

constexpr unsigned kDegrees = 360;
constexpr float kDirectionsMiddle = 3.77f, kHalfTurn = 180.0f, kPerRadian = 57.2957795f;
__host__ __device__ __forceinline__ unsigned degree_of(float x, float y) {
  const float degrees = atan2f(y - kDirectionsMiddle, x - kDirectionsMiddle) * kPerRadian + kHalfTurn;
  const auto whole = static_cast<unsigned>(degrees);
  return whole < kDegrees ? whole : 0;
}
__global__ void __launch_bounds__(256) count_directions(const float2* in, unsigned* out, std::size_t m) {
  __shared__ unsigned counts[kDegrees];
  for (unsigned k = threadIdx.x; k < kDegrees; k += 256) counts[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float2 v = in[i];
    atomicAdd(counts + degree_of(v.x, v.y), 1u);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kDegrees; k += 256) atomicAdd(out + k, counts[k]);
}

constexpr unsigned kPairPlaces = 5000;
/// What is added is nought or one: all sums are small enough for halves to have them without a rest.
__global__ void __launch_bounds__(256) add_pairs_of_halves(const unsigned* words, __half2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned w = words[i];
  atomicAdd(out + place_of(w, kPairPlaces),
            __floats2half2_rn(static_cast<float>(w & 1), static_cast<float>(w >> 1 & 1)));
}

constexpr unsigned kKeysOfBlock = 512, kKeyThreads = kKeysOfBlock / 2, kDifferentKeys = 700,
                   kKeyPlaces = 1024;
__host__ __device__ __forceinline__ unsigned key_of(unsigned word) {
  return 1 + place_of(word, kDifferentKeys);
}
/// @return whether nobody had put the key there before
__device__ __forceinline__ bool put_key(unsigned* table, unsigned key) {
  for (unsigned at = key * 0x9e3779b1u >> 22;; at = (at + 1) % kKeyPlaces) {
    const unsigned was = atomicCAS(table + at, 0u, key);
    if (was == 0 || was == key) return was == 0;
  }
}
__global__ void __launch_bounds__(kKeyThreads) count_different(const uint2* words, unsigned* out) {
  __shared__ unsigned table[kKeyPlaces];
  for (unsigned k = threadIdx.x; k < kKeyPlaces; k += kKeyThreads) table[k] = 0;
  __syncthreads();
  const uint2 w = words[global_index()];
  const bool first = put_key(table, key_of(w.x)), second = put_key(table, key_of(w.y));
  const int firsts = __syncthreads_count(first), seconds = __syncthreads_count(second);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<unsigned>(firsts + seconds);
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned ranges = as_number(n / 4 / kRanged);
  s.run(
      "ranges of 4096 doubles, a block of 256 each", (8.0 * kRanged + 8.0) * ranges,
      [&] {
        ranges_of_doubles<<<ranges, kRangedThreads>>>(reinterpret_cast<const double2*>(s.in),
                                                      reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, ranges, [](std::size_t i) {
          double least = double_of(i * kRanged), greatest = least;
          for (std::size_t k = i * kRanged; k < (i + 1) * kRanged; ++k) {
            least = std::min(least, double_of(k));
            greatest = std::max(greatest, double_of(k));
          }
          return greatest - least;
        });
      });

  const unsigned running = as_number(n / 8 * 4 / kRunningBytes);
  s.run(
      "running sums of 4096 bytes, sixteen a thread, kept in 16 bits", 3.0 * kRunningBytes * running,
      [&] {
        running_sums_of_bytes<<<running, kRunningThreads>>>(reinterpret_cast<const uint4*>(s.words),
                                                            reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        return Set::each(std::size_t{kRunningBytes} * running, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / kRunningBytes * kRunningBytes; k < i; ++k) sum += byte_of(k);
          return Checked::at(reinterpret_cast<const unsigned short*>(s.out), i) == (sum & 0xffff);
        });
      });

  const std::size_t directions = n / 8;
  s.run(
      "directions of vectors counted by degrees in shared memory", 8.0 * real(directions),
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kDegrees * sizeof(unsigned));
        count_directions<<<s.sms * 8, 256>>>(reinterpret_cast<const float2*>(s.in), s.numbers(), directions);
      },
      [&] {
        std::vector<unsigned> want(kDegrees);
        for (std::size_t i = 0; i < directions; ++i) ++want[degree_of(float_of(2 * i), float_of(2 * i + 1))];
        // Between two degrees rounding decides.
        const auto got = taken(s.numbers(), kDegrees);
        std::size_t all = 0;
        for (unsigned k = 0; k < kDegrees; ++k) {
          all += got[k];
          if (std::abs(static_cast<double>(got[k]) - want[k]) > 4.0 + 0.01 * want[k]) return false;
        }
        return all == directions;
      });

  const unsigned pairs = as_number(n / 32);
  s.run(
      "pairs of halves added to 5000 places by atomics", 8.0 * pairs,
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kPairPlaces * sizeof(__half2));
        add_pairs_of_halves<<<Set::blocks(pairs), 256>>>(s.words, reinterpret_cast<__half2*>(s.out), pairs);
      },
      [&] {
        std::vector<unsigned> want(2 * kPairPlaces);
        for (std::size_t i = 0; i < pairs; ++i) {
          const unsigned w = word_of(i), place = place_of(w, kPairPlaces);
          want[2 * place] += w & 1;
          want[2 * place + 1] += w >> 1 & 1;
        }
        const auto got = taken(reinterpret_cast<const __half*>(s.out), 2 * kPairPlaces);
        for (std::size_t k = 0; k < want.size(); ++k)
          if (__half2float(got[k]) != static_cast<float>(want[k])) return false;
        return true;
      });

  const unsigned of_keys = as_number(n / 8 / kKeysOfBlock);
  s.run(
      "different ones of 512 keys counted by a table in shared memory", (4.0 * kKeysOfBlock + 4.0) * of_keys,
      [&] {
        count_different<<<of_keys, kKeyThreads>>>(reinterpret_cast<const uint2*>(s.words), s.numbers());
      },
      [&] {
        return numbers(s, of_keys, [](std::size_t block) {
          std::vector<bool> seen(kDifferentKeys + 1);
          unsigned count = 0;
          for (std::size_t k = block * kKeysOfBlock; k < (block + 1) * kKeysOfBlock; ++k) {
            if (!seen[key_of(word_of(k))]) ++count;
            seen[key_of(word_of(k))] = true;
          }
          return count;
        });
      });
}

}  // namespace held_out_15
