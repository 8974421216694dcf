/// @file
/// Counters, extremes and lists that blocks keep in shared memory.
#include "blind.hpp"

namespace blind {
namespace {

using Long = unsigned long long;

/// Two figures in one word of 64 bits: how many, and a sum.
__global__ void count_and_sum(const unsigned* in, Long* bins, std::size_t m) {
  __shared__ Long mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned v = in[i];
    atomicAdd(&mine[(v >> 4 & 15) << 4 | (v >> 20 & 15)], Long{1} | static_cast<Long>(v & 3) << 32);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void greatest_of_48(const unsigned* in, unsigned* out, std::size_t m) {
  __shared__ unsigned most[48];
  if (threadIdx.x < 48) most[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned v = in[i];
    atomicMax(&most[place_of(v * 0x9e3779b9u, 48)], v);
  }
  __syncthreads();
  if (threadIdx.x < 48) atomicMax(&out[threadIdx.x], most[threadIdx.x]);
}
/// Pictures mostly have few values: nine of ten bytes fall on four counters.
__global__ void count_skewed(const uchar4* in, unsigned* bins, std::size_t m) {
  __shared__ unsigned mine[256];
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uchar4 v = in[i];
    atomicAdd(&mine[v.x < 230 ? v.x & 3 : v.x], 1u);
    atomicAdd(&mine[v.y < 230 ? v.y & 3 : v.y], 1u);
    atomicAdd(&mine[v.z < 230 ? v.z & 3 : v.z], 1u);
    atomicAdd(&mine[v.w < 230 ? v.w & 3 : v.w], 1u);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], mine[k]);
}
/// A list of a block's chosen elements, its places given out in shared memory.
__global__ void choose_in_blocks(const unsigned* in, unsigned* out) {
  __shared__ unsigned list[1024], count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned k = threadIdx.x; k < 1024; k += 256) {
    const unsigned v = in[base + k];
    if (v % 3 == 0) list[atomicAdd(&count, 1u)] = v;
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 1024; k += 256) out[base + k] = k < count ? list[k] : 0;
}

}  // namespace

void shared_atomics(Set& s) {
  const std::size_t n = s.n;
  auto* bins = reinterpret_cast<Long*>(s.out);
  s.run(
      "counts and sums in words of 64 bits", s.one / 2,
      [&] { count_and_sum<<<s.sms * 8, 256>>>(s.words, bins, n / 2); },
      [&] {
        Long all = 0, sum = 0, want = 0;
        for (std::size_t b = 0; b < 256; ++b) {
          const Long v = Checked::at(bins, b);
          all += v & 0xffffffffu, sum += v >> 32;
        }
        for (std::size_t i = 0; i < n / 2; ++i) want += word_of(i) & 3;
        return all == n / 2 && sum == want;
      });
  s.run(
      "greatest of 48 classes, shared memory", s.one / 2,
      [&] { greatest_of_48<<<s.sms * 4, 512>>>(s.words, s.numbers(), n / 2); },
      [&] {
        std::vector<unsigned> most(48, 0);
        for (std::size_t i = 0; i < n / 2; ++i) {
          unsigned& m = most[place_of(word_of(i) * 0x9e3779b9u, 48)];
          m = std::max(m, word_of(i));
        }
        return Set::each(48, [&](std::size_t k) { return s.number(k) == most[k]; });
      });
  s.run(
      "skewed bytes counted", s.one / 4,
      [&] { count_skewed<<<s.sms * 5, 384>>>(reinterpret_cast<uchar4*>(s.words), s.numbers(), n / 4); },
      [&] {
        unsigned all = 0, few = 0;
        for (std::size_t b = 0; b < 256; ++b) {
          all += s.number(b);
          if (b < 4) few += s.number(b);
        }
        return all == n && Set::near(few, static_cast<double>(n) * 230 / 256, 0.01);
      });
  s.run(
      "chosen in blocks by a counter", 2 * s.one,
      [&] { choose_in_blocks<<<static_cast<unsigned>(n / 1024), 256>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(n / 1024, [&](std::size_t b) {
          Long want = 0, got = 0;
          std::vector<unsigned> list(1024);
          cudaMemcpy(list.data(), s.numbers() + b * 1024, 4096, cudaMemcpyDeviceToHost);
          for (std::size_t k = 0; k < 1024; ++k) {
            got += list[k];
            if (word_of(b * 1024 + k) % 3 == 0) want += word_of(b * 1024 + k);
          }
          return got == want;
        });
      });
}

}  // namespace blind
