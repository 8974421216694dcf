/// @file
/// Lesson 3, "why is this program slow": readings are converted, 128 by each thread. First each
/// thread has 128 neighbours of its own; then each warp has 4096, and its lanes go through them
/// side by side. Checks both.
#include "../../chapter2_shared_memory/listings/check.cuh"

constexpr int chunk = 128;
constexpr int block_threads = 256;

// [chunk]
/// Converts 128 readings a thread, one after the other, as a loop on the host would.
/// Launch contract: at least n / 128 threads, rounded up.
__global__ void convert_chunks(const float* celsius, float* fahrenheit, std::size_t n) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t i = chunk * thread; i < chunk * (thread + 1) && i < n; ++i)
    fahrenheit[i] = 1.8f * celsius[i] + 32.0f;
}
// [chunk]

// [side_by_side]
/// The same threads, 128 readings each. A warp shares its 4096 readings out lane by lane.
/// Launch contract: at least n / 4096 warps, rounded up.
__global__ void convert_side_by_side(const float* celsius, float* fahrenheit, std::size_t n) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t warp = thread / 32, lane = thread % 32;
  for (std::size_t i = 32 * chunk * warp + lane; i < 32 * chunk * (warp + 1) && i < n; i += 32)
    fahrenheit[i] = 1.8f * celsius[i] + 32.0f;
}
// [side_by_side]

int main() {
  bool right = true;
  for (const std::size_t n : {1, 127, 4097, 40960}) {
    const std::vector<float> in = different_values(n);
    const std::size_t threads = (n + 32 * chunk - 1) / (32 * chunk) * 32;  // whole warps
    const auto blocks =
        static_cast<unsigned int>((threads + block_threads - 1) / block_threads);
    for (const auto kernel : {convert_chunks, convert_side_by_side}) {
      device_array<float> from(in), to(n);
      kernel<<<blocks, block_threads>>>(from.data(), to.data(), n);
      const std::vector<float> out = to.to_host();
      for (std::size_t i = 0; i < n; ++i) {
        const float wanted =
            1.8f * in[i] + 32.0f;  // the device multiplies and adds in one rounding
        right = right && out[i] - wanted <= 1e-2f && wanted - out[i] <= 1e-2f;
      }
    }
  }
  return verdict("readings converted in two ways", right);
}
