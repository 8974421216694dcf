// expect: wrong_result|too_slow|wasteful
/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
/// Six strided copies of the runtime in place of a kernel. Right, but a copy of 4 bytes a row runs at a
/// sixtieth of the bandwidth, and no kernel of this file does the work.
extern "C" void aos_to_soa_to_soa(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                                  float* vz, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  float* const of[6] = {x, y, z, vx, vy, vz};
  const float* const words = reinterpret_cast<const float*>(records);
  for (int f = 0; f < 6; ++f)
    cudaMemcpy2DAsync(of[f], sizeof(float), words + f, sizeof(particle), sizeof(float), n,
                      cudaMemcpyDeviceToDevice, stream);
}

extern "C" void aos_to_soa_to_aos(const float* x, const float* y, const float* z, const float* vx,
                                  const float* vy, const float* vz, particle* records, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  const float* const of[6] = {x, y, z, vx, vy, vz};
  float* const words = reinterpret_cast<float*>(records);
  for (int f = 0; f < 6; ++f)
    cudaMemcpy2DAsync(words + f, sizeof(particle), of[f], sizeof(float), sizeof(float), n,
                      cudaMemcpyDeviceToDevice, stream);
}
// <<< your code
