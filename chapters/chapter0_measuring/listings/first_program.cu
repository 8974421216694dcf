/// @file
/// Lesson 0, listing "six steps": temperatures from Fahrenheit to Celsius on the GPU, with
/// every call's error looked at. Checks its own result.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// [kernel]
/// celsius[i] = fahrenheit[i] in the other unit.
/// Launch contract: one dimension, at least n threads.
__global__ void to_celsius(const float* fahrenheit, float* celsius, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // which element is mine?
  if (i < n) celsius[i] = (fahrenheit[i] - 32.0f) * (5.0f / 9.0f);
}
// [kernel]

// [check]
/// Ends the program with the call's own words if it failed.
void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
// [check]

int main() {
  constexpr int n = 1000;
  std::vector<float> fahrenheit(n), celsius(n);
  for (int i = 0; i < n; ++i) fahrenheit[i] = static_cast<float>(i - 300);

  // [steps]
  const std::size_t bytes = n * sizeof(float);
  float* device_in = nullptr;
  float* device_out = nullptr;

  // 1 Get memory on the device.
  check(cudaMalloc(&device_in, bytes), "cudaMalloc");
  check(cudaMalloc(&device_out, bytes), "cudaMalloc");
  // 2 Copy the input up.
  check(cudaMemcpy(device_in, fahrenheit.data(), bytes, cudaMemcpyHostToDevice), "copy up");
  // 3 Launch: enough blocks of 256 threads for n elements.
  to_celsius<<<(n + 255) / 256, 256>>>(device_in, device_out, n);
  // 4 Ask whether the kernel started.
  check(cudaGetLastError(), "launch");
  // 5 Copy the result back. This call waits for the kernel,
  //   so it also reports what went wrong inside.
  check(cudaMemcpy(celsius.data(), device_out, bytes, cudaMemcpyDeviceToHost), "copy back");
  // 6 Give the memory back.
  check(cudaFree(device_in), "cudaFree");
  check(cudaFree(device_out), "cudaFree");
  // [steps]

  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && std::fabs(celsius[i] - (fahrenheit[i] - 32.0f) * 5.0f / 9.0f) < 1e-3f;
  std::printf("212 F is %.1f C: %s\n", celsius[512], right ? "right" : "WRONG");
  return right ? 0 : 1;
}
