/// @file
/// Lesson 4, "the same for everybody": sensors are corrected by a polynomial whose eight
/// coefficients are read through a pointer, or from constant memory. A device variable counts
/// the values that are out of range. Checks both.
#include "../../chapter2_shared_memory/listings/check.cuh"

constexpr int terms = 8;

// [pointer]
/// Corrects each reading by a polynomial.
/// Launch contract: at least n threads.
__global__ void correct_by_pointer(const float* in, float* out, int n,
                                   const float* coefficients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = terms - 1; k >= 0; --k) sum = sum * in[i] + coefficients[k];
  out[i] = sum;
}
// [pointer]

// [constant]
__constant__ float curve[terms];   // read by kernels, written by the host
__device__ unsigned int too_high;  // read and written by both

/// The same with the coefficients in constant memory; counts results above `most`.
/// Launch contract: at least n threads.
__global__ void correct_by_constant(const float* in, float* out, int n, float most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = terms - 1; k >= 0; --k) sum = sum * in[i] + curve[k];
  out[i] = sum;
  if (sum > most) atomicAdd(&too_high, 1u);
}
// [constant]

// [symbols]
/// Corrects n readings on the device and says how many results lie above `most`.
cudaError_t correct_all(const float* in, float* out, int n, const float* coefficients,
                        float most, unsigned int* count) {
  const unsigned int none = 0;
  cudaMemcpyToSymbol(curve, coefficients, sizeof(curve));  // the name itself: no &, no quotes
  cudaMemcpyToSymbol(too_high, &none, sizeof(none));
  correct_by_constant<<<(n + 255) / 256, 256>>>(in, out, n, most);
  cudaMemcpyFromSymbol(count, too_high, sizeof(*count));  // waits for the kernel
  return cudaGetLastError();
}
// [symbols]

int main() {
  constexpr int n = 40960;
  const std::vector<float> coefficients = {0.5f,    -1.0f,   0.25f, 0.75f,
                                           -0.125f, 0.0625f, -0.5f, 0.375f};
  std::vector<float> in = different_values(n);
  for (float& value : in) value /= 8192.0f;
  device_array<float> from(in), numbers(coefficients), first(n), second(n);
  correct_by_pointer<<<(n + 255) / 256, 256>>>(from.data(), first.data(), n, numbers.data());
  unsigned int count = 0, wanted = 0;
  must(correct_all(from.data(), second.data(), n, coefficients.data(), 0.5f, &count),
       "correction");
  const std::vector<float> one = first.to_host(), other = second.to_host();
  bool right = true;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = terms - 1; k >= 0; --k) sum = sum * in[i] + coefficients[k];
    right = right && one[i] == other[i] && one[i] - sum < 1e-5 && sum - one[i] < 1e-5;
    if (other[i] > 0.5f) ++wanted;
  }
  return verdict("readings corrected in two ways, and counted",
                 right && count == wanted && wanted > 0);
}
