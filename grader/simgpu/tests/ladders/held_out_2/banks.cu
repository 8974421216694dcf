/// @file
/// Shared memory at steps of one, two, eight and thirty-two words, at one word, and in vectors.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Lanes read @p step words apart, 64 times.
__global__ void __launch_bounds__(256) at_steps(const float* in, float* out, unsigned step) {
  __shared__ float mine[2048];
  const std::size_t base = blockIdx.x * std::size_t{2048};
  for (unsigned k = threadIdx.x; k < 2048; k += 256) mine[k] = in[base + k];
  __syncthreads();
  float sum = 0;
  unsigned at = threadIdx.x * step;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    sum += mine[at % 2048];
    at += 33;
  }
  out[global_index()] = sum;
}
/// A column a thread of records of four words, by words or by vectors.
template <bool Vectors>
__global__ void __launch_bounds__(256) in_records(const float4* in, float* out) {
  __shared__ float4 mine[256];
  mine[threadIdx.x] = in[global_index()];
  __syncthreads();
  float sum = 0;
#pragma unroll 4
  for (unsigned k = 0; k < 32; ++k) {
    const unsigned at = (threadIdx.x + k) % 256;
    if (Vectors) {
      const float4 v = mine[at];
      sum += v.x + v.y + v.z + v.w;
    } else {
      const volatile float* words = reinterpret_cast<const volatile float*>(&mine[at]);
      sum += words[0] + words[1] + words[2] + words[3];
    }
  }
  out[global_index()] = sum;
}

}  // namespace

void banks(Set& s) {
  const unsigned blocks = s.sms * 32;
  const std::size_t m = std::size_t{blocks} * 256;
  for (const unsigned step : {0u, 1u, 2u, 8u, 32u})
    s.run(
        "shared memory at steps of " + std::to_string(step), 4.0 * 64 * real(m),
        [&, step] { at_steps<<<blocks, 256>>>(s.in, s.out, step); },
        [&, step] {
          return floats(s, m, [&](std::size_t i) {
            double sum = 0;
            for (std::size_t k = 0; k < 64; ++k)
              sum += float_of(i / 256 * 2048 + (i % 256 * step + 33 * k) % 2048);
            return sum;
          });
        });
  const auto records = [&] {
    return floats(s, m, [](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < 32; ++k)
        for (std::size_t c = 0; c < 4; ++c) sum += float_of((i / 256 * 256 + (i + k) % 256) * 4 + c);
      return sum;
    });
  };
  s.run(
      "records in shared memory, by words", 16.0 * 32 * real(m),
      [&] { in_records<false><<<blocks, 256>>>(reinterpret_cast<float4*>(s.in), s.out); }, records);
  s.run(
      "records in shared memory, by vectors", 16.0 * 32 * real(m),
      [&] { in_records<true><<<blocks, 256>>>(reinterpret_cast<float4*>(s.in), s.out); }, records);
}

}  // namespace held_out_2
