/// @file
/// Lesson 2, "dynamic shared memory": two arrays in memory whose size the launch decides, more
/// than 48 KB of it.
#include "check.cuh"

// [kernel]
/// Reverses chunk blockIdx.x of `count` readings, each with a mark of one byte.
/// Launch contract: one block a chunk, with 5 * count bytes of dynamic shared memory: count
/// floats, then count bytes.
__global__ void reverse_readings(float* readings, unsigned char* marks, int count) {
  extern __shared__ float tile[];  // no size here: it is the third launch argument, in bytes
  unsigned char* tile_of_marks = reinterpret_cast<unsigned char*>(tile + count);
  const std::size_t first = std::size_t{blockIdx.x} * count;

  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    tile[k] = readings[first + k];
    tile_of_marks[k] = marks[first + k];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    readings[first + k] = tile[count - 1 - k];
    marks[first + k] = tile_of_marks[count - 1 - k];
  }
}
// [kernel]

// [launch]
/// Launches one block a chunk. cudaErrorInvalidValue if a chunk does not fit.
cudaError_t reverse_all(float* readings, unsigned char* marks, int count, int chunks) {
  const int bytes = count * static_cast<int>(sizeof(float) + sizeof(unsigned char));
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (bytes > most) return cudaErrorInvalidValue;

  // Above 48 KB the kernel has to ask. Without this line the launch fails.
  cudaFuncSetAttribute(reverse_readings, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  // What the SM shall set aside as shared memory, in per cent of the most it can. The rest is
  // L1 cache. This is a hint.
  cudaFuncSetAttribute(reverse_readings, cudaFuncAttributePreferredSharedMemoryCarveout, 100);

  reverse_readings<<<chunks, 256, bytes>>>(readings, marks, count);
  return cudaGetLastError();
}
// [launch]

int main() {
  constexpr int count = 12'000;  // 60,000 bytes
  constexpr int chunks = 3;
  const std::vector<float> in = different_values(count * chunks);
  std::vector<unsigned char> in_marks(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in_marks[i] = static_cast<unsigned char>(i % 253);
  device_array<float> readings(in);
  device_array<unsigned char> marks(in_marks);

  int most = 0;
  must(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "attribute");
  const int too_many = most / 5 + 1;
  bool right = reverse_all(readings.data(), marks.data(), too_many, 1) == cudaErrorInvalidValue;

  must(reverse_all(readings.data(), marks.data(), count, chunks), "launch");
  const std::vector<float> out = readings.to_host();
  const std::vector<unsigned char> out_marks = marks.to_host();
  for (int c = 0; c < chunks; ++c)
    for (int k = 0; k < count; ++k) {
      const int from = c * count + count - 1 - k;
      right =
          right && out[c * count + k] == in[from] && out_marks[c * count + k] == in_marks[from];
    }
  return verdict("readings reversed", right);
}
