/// @file
/// A radix-2 transform by hand: bits reversed, then a launch a stage.
#include <cmath>

#include "buffer.cuh"

__global__ void reverse_bits(const float2* in, float2* out, int bits) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void butterfly(float2* data, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % half, low = i / half * 2 * half + k, high = low + half;
  float s, c;
  sincospif(-static_cast<float>(k) / half, &s, &c);
  const float2 a = data[low], b = data[high];
  const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  data[low] = make_float2(a.x + t.x, a.y + t.y);
  data[high] = make_float2(a.x - t.x, a.y - t.y);
}

int main() {
  const int bits = 10, n = 1 << bits;
  std::vector<float2> signal(n);
  for (int i = 0; i < n; ++i)  // two tones: at 5 with 1, at 50 with 0.5
    signal[i] = make_float2(std::cos(2 * M_PI * 5 * i / n) + 0.5 * std::cos(2 * M_PI * 50 * i / n), 0);
  Buffer<float2> in(signal), data(n);
  reverse_bits<<<n / 128, 128>>>(in, data, bits);
  for (int half = 1; half < n; half *= 2) butterfly<<<n / 2 / 128, 128>>>(data, half);
  CHECK_LAUNCH();
  const auto spectrum = data.host();
  bool right = true;
  for (int k = 0; k < n; ++k) {
    const float expected = k == 5 || k == n - 5 ? n / 2.0f : k == 50 || k == n - 50 ? n / 4.0f : 0;
    right = right && std::fabs(std::hypot(spectrum[k].x, spectrum[k].y) - expected) < 0.05f;
  }
  return verdict(right);
}
