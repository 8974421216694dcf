/// @file
/// a x + y in pairs of half-precision numbers.
#include <cuda_fp16.h>

#include "buffer.cuh"

__global__ void haxpy(int pairs, __half2 a, const __half2* x, __half2* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(a, x[i], y[i]);
}

int main() {
  const int pairs = 500;
  std::vector<__half2> x(pairs), y(pairs);
  for (int i = 0; i < pairs; ++i) {
    x[i] = __floats2half2_rn(static_cast<float>(i % 16), 0.5f);
    y[i] = __floats2half2_rn(1.0f, static_cast<float>(i % 8));
  }
  Buffer<__half2> d_x(x), d_y(y);
  haxpy<<<divide_up(pairs, 128), 128>>>(pairs, __float2half2_rn(2.0f), d_x, d_y);
  CHECK_LAUNCH();
  bool right = true;
  const auto result = d_y.host();
  for (int i = 0; i < pairs; ++i)
    right = right && __low2float(result[i]) == 2.0f * (i % 16) + 1 && __high2float(result[i]) == 1.0f + i % 8;
  return verdict(right);
}
