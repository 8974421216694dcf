/// @file
/// Lesson 1, listing "bytes in flight": two arrays are mixed, first with one float a thread,
/// then with four in turn, with four together, and with one 16-byte access. Each kernel differs
/// from the one before by one change. Checks all of them.
#include <cstdio>
#include <vector>

constexpr int block_threads = 256;

// [one]
/// out[i] = a[i] + t (b[i] - a[i]). One element a thread.
__global__ void mix_one(const float* a, const float* b, float* out, int n, float t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + t * (b[i] - a[i]);
}
// [one]

// [in_turn]
/// Four elements a thread, one after the other.
/// Neighbouring lanes still read neighbouring words.
__global__ void mix_in_turn(const float* a, const float* b, float* out, int n, float t) {
  const int first = 4 * blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    // The next turn's loads stand behind this store.
    if (i < n) out[i] = a[i] + t * (b[i] - a[i]);
  }
}
// [in_turn]

// [together]
/// Four elements a thread: eight loads, and only then the first store.
__global__ void mix_together(const float* a, const float* b, float* out, int n, float t) {
  const int first = 4 * blockIdx.x * blockDim.x + threadIdx.x;
  float x[4], y[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    x[k] = i < n ? a[i] : 0.0f;
    y[k] = i < n ? b[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    if (i < n) out[i] = x[k] + t * (y[k] - x[k]);
  }
}
// [together]

// [wide]
/// Four neighbouring elements a thread, 16 bytes at a time.
/// All three arrays are aligned to 16 bytes.
__global__ void mix_wide(const float* a, const float* b, float* out, int n, float t) {
  const int quad = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 4 * quad;
  if (i + 3 < n) {
    const float4 x = reinterpret_cast<const float4*>(a)[quad];
    const float4 y = reinterpret_cast<const float4*>(b)[quad];
    float4 mixed;
    mixed.x = x.x + t * (y.x - x.x);
    mixed.y = x.y + t * (y.y - x.y);
    mixed.z = x.z + t * (y.z - x.z);
    mixed.w = x.w + t * (y.w - x.w);
    reinterpret_cast<float4*>(out)[quad] = mixed;
  } else {
    // The tail: at most three elements.
    for (int k = i; k < n; ++k) out[k] = a[k] + t * (b[k] - a[k]);
  }
}
// [wide]

using mixer = void (*)(const float*, const float*, float*, int, float);

bool right(mixer kernel, int n, int elements_a_thread) {
  std::vector<float> a(n), b(n), out(n, -1.0f);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 977);
    b[i] = static_cast<float>(i % 89) + 1000.0f;
  }
  const std::size_t bytes = n * sizeof(float);
  float* device = nullptr;  // three arrays, each begins at a multiple of 256 bytes
  const std::size_t stride = (n + 63) / 64 * 64;
  bool well =
      cudaMalloc(&device, 3 * stride * sizeof(float)) == cudaSuccess &&
      cudaMemcpy(device, a.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
      cudaMemcpy(device + stride, b.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  const int threads = (n + elements_a_thread - 1) / elements_a_thread;
  kernel<<<(threads + block_threads - 1) / block_threads, block_threads>>>(
      device, device + stride, device + 2 * stride, n, 0.25f);
  well =
      well && cudaGetLastError() == cudaSuccess &&
      cudaMemcpy(out.data(), device + 2 * stride, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
  for (int i = 0; i < n; ++i) well = well && out[i] == a[i] + 0.25f * (b[i] - a[i]);
  cudaFree(device);
  return well;
}

int main() {
  bool all = true;
  for (const int n : {1, 3, 4, 255, 1023, 1024, 1025, 70001})
    all = all && right(mix_one, n, 1) && right(mix_in_turn, n, 4) &&
          right(mix_together, n, 4) && right(mix_wide, n, 4);
  std::printf("four ways to mix two arrays: %s\n", all ? "right" : "WRONG");
  return all ? 0 : 1;
}
