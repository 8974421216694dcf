// expect: wasteful off_the_idea
// says: fine answer elsewhere
/// @file
/// coalesced_scale: an array, times a factor. The one file of this exercise that is edited and handed in; the contract
/// is in coalesced_scale.cuh, the task in README.md.
#include "coalesced_scale.cuh"

// >>> your code
#include <cub/device/device_transform.cuh>

/// Multiplies by a factor.
struct times {
  float factor;
  __device__ float operator()(float value) const { return factor * value; }
};

// Right and fast: the library knows which lanes take what.
extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  cub::DeviceTransform::Transform(in, out, n, times{factor}, stream);
}
// <<< your code
