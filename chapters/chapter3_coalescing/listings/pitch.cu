/// @file
/// Lesson 3, "rows that begin where they should": a matrix with rows of odd length, dense and
/// with a pitch. The same kernel does both; only the distance of the rows differs. And once
/// more with a loop that the lanes leave at different times. Checks all.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [kernel]
/// Halves each element. Row r begins at r * pitch BYTES in both matrices.
/// Launch contract: a block of 32 threads a row.
__global__ void halve_rows(const char* in, char* out, std::size_t pitch, int cols) {
  const float* from = reinterpret_cast<const float*>(in + blockIdx.x * pitch);
  float* to = reinterpret_cast<float*>(out + blockIdx.x * pitch);
  for (int first = 0; first < cols; first += 32) {  // as many turns for every lane
    const int c = first + static_cast<int>(threadIdx.x);
    if (c < cols) to[c] = 0.5f * from[c];
  }
}
// [kernel]

// [uneven]
/// The same, written as one would. Lane 0 has one turn more than the others when cols is 1025.
__global__ void halve_rows_unevenly(const char* in, char* out, std::size_t pitch, int cols) {
  const float* from = reinterpret_cast<const float*>(in + blockIdx.x * pitch);
  float* to = reinterpret_cast<float*>(out + blockIdx.x * pitch);
  for (int c = threadIdx.x; c < cols; c += 32) to[c] = 0.5f * from[c];
}
// [uneven]

constexpr int rows = 64, cols = 1025;
constexpr std::size_t row_bytes = cols * sizeof(float);
using halving = void (*)(const char*, char*, std::size_t, int);

// [host]
/// Halves a dense matrix of the host, by way of two matrices on the device whose rows begin at
/// multiples of the pitch.
cudaError_t halve_pitched(const float* in, float* out, halving kernel) {
  void *from = nullptr, *to = nullptr;
  std::size_t pitch = 0;  // the runtime chooses it: at least row_bytes
  if (cudaMallocPitch(&from, &pitch, row_bytes, rows) != cudaSuccess) return cudaGetLastError();
  if (cudaMallocPitch(&to, &pitch, row_bytes, rows) != cudaSuccess) return cudaGetLastError();
  cudaMemcpy2D(from, pitch, in, row_bytes, row_bytes, rows, cudaMemcpyHostToDevice);
  kernel<<<rows, 32>>>(static_cast<const char*>(from), static_cast<char*>(to), pitch, cols);
  cudaMemcpy2D(out, row_bytes, to, pitch, row_bytes, rows, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return cudaGetLastError();
}
// [host]

int main() {
  const std::vector<float> in = different_values(std::size_t{rows} * cols);
  device_array<float> from(in), to(in.size());
  halve_rows<<<rows, 32>>>(reinterpret_cast<const char*>(from.data()),
                           reinterpret_cast<char*>(to.data()), row_bytes, cols);
  const std::vector<float> dense = to.to_host();
  std::vector<float> pitched(in.size()), uneven(in.size());
  must(halve_pitched(in.data(), pitched.data(), halve_rows), "the pitched way");
  must(halve_pitched(in.data(), uneven.data(), halve_rows_unevenly), "the uneven way");
  bool right = true;
  for (std::size_t i = 0; i < in.size(); ++i)
    right =
        right && dense[i] == 0.5f * in[i] && pitched[i] == dense[i] && uneven[i] == dense[i];
  return verdict("rows halved, dense and pitched", right);
}
