/// @file
/// Counts of 256 classes of even and of lopsided data: in shared memory, in global memory, in columns of threads' own.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Even: the lowest byte. Lopsided: three quarters of all are of one class.
__host__ __device__ __forceinline__ unsigned class_of(unsigned word, bool lopsided) {
  return lopsided && (word >> 8 & 3) != 0 ? 17 : word & 255;
}
__global__ void __launch_bounds__(256)
    count_in_shared(const unsigned* in, unsigned* counts, std::size_t m, bool lopsided) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(&mine[class_of(in[i], lopsided)], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
__global__ void count_in_global(const unsigned* in, unsigned* counts, std::size_t m, bool lopsided) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&counts[class_of(in[i], lopsided)], 1u);
}
/// 32 classes; each of 64 threads has a column of 32 counters.
__global__ void __launch_bounds__(64) count_in_columns(const uint4* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[32][64];
  for (int k = 0; k < 32; ++k) mine[k][threadIdx.x] = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 v = in[i];
    ++mine[v.x & 31][threadIdx.x], ++mine[v.y & 31][threadIdx.x];
    ++mine[v.z & 31][threadIdx.x], ++mine[v.w & 31][threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  unsigned sum = 0;
  for (unsigned t = 0; t < 64; ++t) sum += mine[threadIdx.x][(t + threadIdx.x) % 64];
  atomicAdd(&counts[threadIdx.x], sum);
}

}  // namespace

void histograms(Set& s) {
  const std::size_t n = s.n;
  const auto right = [&](std::size_t m, bool lopsided, unsigned classes) {
    std::vector<unsigned> counts(classes);
    for (std::size_t i = 0; i < m; ++i) ++counts[class_of(word_of(i), lopsided) % classes];
    for (unsigned c = 0; c < classes; ++c)
      if (s.number(c) != counts[c]) return false;
    return true;
  };
  for (const bool lopsided : {false, true}) {
    const std::string of = lopsided ? ", lopsided" : ", even";
    s.run(
        "256 classes in shared memory" + of, s.one / 4,
        [&, lopsided] { count_in_shared<<<s.sms * 6, 256>>>(s.words, s.numbers(), n / 4, lopsided); },
        [&, lopsided] { return right(n / 4, lopsided, 256); });
    s.run(
        "256 classes in global memory" + of, s.one / 32,
        [&, lopsided] {
          count_in_global<<<Set::blocks(n / 32), 256>>>(s.words, s.numbers(), n / 32, lopsided);
        },
        [&, lopsided] { return right(n / 32, lopsided, 256); });
  }
  s.run(
      "32 classes in columns of threads", s.one / 4,
      [&] { count_in_columns<<<s.sms * 16, 64>>>(reinterpret_cast<uint4*>(s.words), s.numbers(), n / 16); },
      [&] { return right(n / 4, false, 32); });
}

}  // namespace held_out_2
