// expect: pass
/// @file
/// Sound, in another style: a functor around an instruction in PTX, a kernel template over the vector type, an odd rest by a
/// launch of its own.
#include "vector_add.cuh"

#include <cuda_runtime.h>
namespace {
struct plus {
  __device__ __forceinline__ float operator()(float x, float y) const {
    float z;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
};
template <class V>
struct lanes {
  static constexpr unsigned of = sizeof(V) / sizeof(float);
};
template <class V, class F>
__global__ void __launch_bounds__(128, 8)
    zip(const V* __restrict__ a, const V* __restrict__ b, V* __restrict__ c, std::size_t n, F f) {
  const std::size_t i = std::size_t{blockIdx.x} * 128 + threadIdx.x;
  if (i >= n) return;
  union {
    V v;
    float s[lanes<V>::of];
  } x, y, z;
  x.v = a[i];
  y.v = b[i];
#pragma unroll
  for (unsigned k = 0; k < lanes<V>::of; ++k) z.s[k] = f(x.s[k], y.s[k]);
  c[i] = z.v;
}
template <class V>
void launch(const float* a, const float* b, float* c, std::size_t n, cudaStream_t s) {
  const auto blocks = unsigned((n + 127) / 128);
  if (blocks)
    zip<V><<<blocks, 128, 0, s>>>(reinterpret_cast<const V*>(a), reinterpret_cast<const V*>(b),
                                  reinterpret_cast<V*>(c), n, plus{});
}
}  // namespace
extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t s) {
  const std::size_t pairs = n / 2;
  launch<float2>(a, b, c, pairs, s);
  if (n % 2) launch<float>(a + 2 * pairs, b + 2 * pairs, c + 2 * pairs, 1, s);
}
