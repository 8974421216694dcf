/// @file
/// Lesson 5, "why is this program slow": numbers go up from ordinary memory, are scored, and
/// come back. Then the same from page-locked memory. Checks both results.
#include "../../chapter2_shared_memory/listings/check.cuh"

/// out[i] = in[i]^2 / 2.
/// Launch contract: at least n threads.
__global__ void score(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * in[i] * in[i];
}

// [ordinary]
/// Scores n readings that lie in the host's memory. `device_in` and `device_out` have room for
/// n floats each.
void score_all(const float* readings, float* scores, float* device_in, float* device_out,
               std::size_t n) {
  cudaMemcpy(device_in, readings, n * sizeof(float), cudaMemcpyHostToDevice);
  score<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(device_in, device_out, n);
  cudaMemcpy(scores, device_out, n * sizeof(float), cudaMemcpyDeviceToHost);
}
// [ordinary]

// [pinned]
/// Page-locked memory for n floats, or nullptr: then the system has no more to lock, and
/// ordinary memory must do.
float* page_locked(std::size_t n) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocDefault) == cudaSuccess)
    return static_cast<float*>(memory);
  cudaGetLastError();  // takes the error away, or the next check would find it
  return nullptr;
}
// [pinned]

// [register]
/// Locks the pages of memory that somebody else allocated, uses it, and lets go.
cudaError_t score_registered(std::vector<float>& readings, std::vector<float>& scores,
                             float* device_in, float* device_out) {
  const std::size_t bytes = readings.size() * sizeof(float);
  if (cudaHostRegister(readings.data(), bytes, cudaHostRegisterDefault) != cudaSuccess)
    return cudaGetLastError();
  score_all(readings.data(), scores.data(), device_in, device_out, readings.size());
  cudaHostUnregister(readings.data());  // before the vector frees the memory
  return cudaGetLastError();
}
// [register]

int main() {
  constexpr std::size_t n = 10007;
  std::vector<float> readings = different_values(n), scores(n, -1.0f), again(n, -1.0f);
  device_array<float> in(n), out(n);
  score_all(readings.data(), scores.data(), in.data(), out.data(), n);
  must(cudaGetLastError(), "ordinary memory");
  must(score_registered(readings, again, in.data(), out.data()), "registered memory");

  float* const source = page_locked(n);
  float* const target = page_locked(n);
  if (source == nullptr || target == nullptr) return 1;
  for (std::size_t i = 0; i < n; ++i) source[i] = readings[i];
  score_all(source, target, in.data(), out.data(), n);
  must(cudaGetLastError(), "page-locked memory");
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = 0.5f * readings[i] * readings[i];
    right = right && scores[i] == expected && again[i] == expected && target[i] == expected;
  }
  cudaFreeHost(source);
  cudaFreeHost(target);
  return verdict("readings scored from three kinds of memory", right);
}
