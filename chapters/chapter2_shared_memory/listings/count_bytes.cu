/// @file
/// Lesson 2, the opening program: counts how often each byte occurs, with one addition to
/// global memory a byte. It is right, and slow.
#include "check.cuh"

// [kernel]
/// Adds 1 to counts[b] for every byte b.
/// Launch contract: at least n threads; counts[0..255] were cleared.
__global__ void count_bytes(const unsigned char* in, unsigned int* counts, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i]], 1u);
}
// [kernel]

int main() {
  constexpr std::size_t n = 100'003;
  std::vector<unsigned char> in(n);
  std::vector<unsigned int> expected(256, 0u);
  for (std::size_t i = 0; i < n; ++i)
    ++expected[in[i] = static_cast<unsigned char>(i * i % 251)];

  device_array<unsigned char> bytes(in);
  device_array<unsigned int> counts(std::vector<unsigned int>(256, 0u));
  count_bytes<<<(n + 255) / 256, 256>>>(bytes.data(), counts.data(), n);
  return verdict("bytes counted", counts.to_host() == expected);
}
